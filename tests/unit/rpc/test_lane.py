"""The lane of casts."""

from magnumlite.rpc.lane import Lane


class Message:
    def __init__(self, name: str) -> None:
        self.name = name
        self.given_back = 0

    def requeue(self) -> None:
        self.given_back += 1


def messages(count: int) -> list[Message]:
    return [Message(str(number)) for number in range(count)]


def test_so_many_have_a_turn_and_the_others_wait_in_their_order() -> None:
    lane, (one, two, three, four) = Lane(turns=2), messages(4)
    assert [lane.enter(each) for each in (one, two, three, four)] == [True, True, False, False]
    assert lane.next() is three
    assert lane.next() is four
    assert lane.next() is None


def test_a_turn_that_nobody_waited_for_is_free_again() -> None:
    lane, (one, two, three) = Lane(turns=1), messages(3)
    assert lane.enter(one)
    assert lane.next() is None
    assert lane.enter(two)
    assert not lane.enter(three)


def test_what_waits_when_it_closes_and_what_comes_later_goes_back() -> None:
    lane, (one, two, three) = Lane(turns=1), messages(3)
    lane.enter(one)
    lane.enter(two)
    lane.close()
    assert not lane.enter(three)
    assert [each.given_back for each in (one, two, three)] == [0, 1, 1]
    assert lane.next() is None
    assert not lane.enter(three)
