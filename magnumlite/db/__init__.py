"""The shared database: engine, models, queries and schema."""
