import collections

from hypothesis import given
from hypothesis import strategies as st

from magnumlite.fleet.ring import Ring

KEYS = [f"cluster-{n}" for n in range(3000)]
HOSTS = st.sets(st.text(min_size=1, max_size=20), min_size=1, max_size=6)


def test_without_hosts_nobody_owns():
    assert Ring([], 128).owner("a") is None


def test_all_hosts_agree_whatever_their_order():
    one, other = Ring(["a", "b", "c"], 128), Ring(["c", "a", "b", "a"], 128)
    assert [one.owner(key) for key in KEYS] == [other.owner(key) for key in KEYS]


def test_owners_stay_the_same_from_release_to_release():
    """Hosts of different releases run side by side: the hash is part of the contract."""
    owners = [Ring(["a", "b", "c"], 128).owner(key) for key in KEYS[:8]]
    assert "".join(owners) == "aaacbcbc"


def test_shares_are_about_even():
    shares = collections.Counter(map(Ring(["a", "b", "c"], 128).owner, KEYS))
    assert all(700 < share < 1300 for share in shares.values())


@given(HOSTS, st.data())
def test_when_a_host_goes_only_its_keys_move(hosts, data):
    gone = data.draw(st.sampled_from(sorted(hosts)))
    before, after = Ring(hosts, 16), Ring(hosts - {gone}, 16)
    for key in KEYS[:200]:
        if before.owner(key) != gone:
            assert after.owner(key) == before.owner(key)
        else:
            assert after.owner(key) != gone
