"""[database]: what magnum adds to oslo.db's options."""

from oslo_config import cfg

GROUP = cfg.OptGroup("database", title="Database")

OPTS = [
    cfg.StrOpt(
        "mysql_engine",
        default="InnoDB",
        help="Storage engine of the tables made on MySQL and MariaDB.",
    ),
]
