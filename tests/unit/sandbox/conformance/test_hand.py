import threading

import pytest

from magnumlite.sandbox.conformance.hand import Hand, Hung


def test_all_is_done_in_one_thread_and_errors_come_back() -> None:
    hand = Hand("hand")
    try:
        first = hand.do(threading.current_thread, 60)
        assert hand.do(threading.current_thread, 60) is first
        assert first.name == "hand"
        with pytest.raises(SystemExit):
            hand.do(lambda: exec("raise SystemExit"), 60)
        with pytest.raises(TimeoutError, match="of its own"):
            hand.do(lambda: exec("raise TimeoutError('of its own')"), 60)
    finally:
        hand.close()
    first.join(60)
    assert not first.is_alive()


def test_one_that_does_not_come_back_is_left() -> None:
    hand, over = Hand("hand"), threading.Event()
    with pytest.raises(Hung, match="no end after"):
        hand.do(over.wait, 0.01)
    over.set()
    assert hand.do(lambda: 7, 60) == 7
    hand.close()
