"""Console scripts: one short module each."""
