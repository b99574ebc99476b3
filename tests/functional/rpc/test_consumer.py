"""A server's consumer on RabbitMQ."""

from oslo_config import cfg

from magnumlite.rpc import server, transport


def test_an_idle_consumer_sees_soon_that_it_is_to_stop(
    conf: cfg.ConfigOpts, rabbit_vhost: str
) -> None:
    """oslo.messaging's own sees it after 5 s, and TERM of an idle conductor would take as long."""
    conf.set_override("transport_url", rabbit_vhost)
    made = server.get_server("alpha.0", [])
    made.start()
    try:
        assert made.listener._poll_style_listener.conn._poll_timeout <= 0.5
    finally:
        made.close()
        made.finish()
        transport.cleanup()
