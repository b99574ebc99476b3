import base64
import subprocess

import pytest
from cryptography import x509 as crypto
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from magnumlite import exception
from magnumlite.certs import authority, csr, operations, x509
from tests.unit.certs.conftest import Cluster

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
SUBJECT = crypto.Name(
    [
        crypto.NameAttribute(NameOID.COMMON_NAME, "admin"),
        crypto.NameAttribute(NameOID.ORGANIZATION_NAME, "system:masters"),
    ]
)
USAGES = list(csr.KEY_USAGES.values())


def request(*extensions, key=KEY, subject=SUBJECT, algorithm=None):
    builder = crypto.CertificateSigningRequestBuilder().subject_name(subject)
    for value, critical in extensions:
        builder = builder.add_extension(value, critical)
    if algorithm is None and not isinstance(key, ed25519.Ed25519PrivateKey | ed448.Ed448PrivateKey):
        algorithm = hashes.SHA256()
    return builder.sign(key, algorithm)


def pem(made):
    return made.public_bytes(serialization.Encoding.PEM).decode()


def pem_of(der):
    body = base64.encodebytes(der).decode()
    return f"-----BEGIN CERTIFICATE REQUEST-----\n{body}-----END CERTIFICATE REQUEST-----\n"


def extensions(accepted):
    return [(e.value, e.critical) for e in accepted.extensions]


GOOD = pem(request())
DER = request().public_bytes(serialization.Encoding.DER)


@pytest.mark.parametrize("form", [GOOD, GOOD.encode(), crypto.load_pem_x509_csr(GOOD.encode())])
def test_a_good_request_is_taken_as_it_is(conf, form):
    accepted = csr.accept(form)
    assert accepted.subject == SUBJECT
    assert accepted.public_key == KEY.public_key()
    assert accepted.extensions == []


def test_ascii_text_around_the_pem_is_ignored(conf):
    assert csr.accept(f"Certificate Request:\n  Data: 100%\n{GOOD}\nbye\n").subject == SUBJECT


def tampered():
    der = bytearray(DER)
    der[-1] ^= 1
    return pem_of(bytes(der))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("rubbish", "cannot be read"),
        (b"rubbish", "cannot be read"),
        ("", "not PEM text"),
        (b"", "not PEM text"),
        (None, "not PEM text"),
        (7, "not PEM text"),
        ([GOOD], "not PEM text"),
        ("%(csr)s %s %", "cannot be read"),
        (GOOD + "\u2014", "not ASCII"),  # B47
        ("caf\u00e9 " + GOOD, "not ASCII"),  # B47
        (GOOD.encode() + b"\xff", "not ASCII"),  # B47
        ("x" * 2**20, "longer"),
        (GOOD + "\n" + "x" * 2**20, "longer"),
        ("-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----", "read"),
        (GOOD.replace("REQUEST", "", 1), "cannot be read"),
        (GOOD.replace("CERTIFICATE REQUEST", "PRIVATE KEY"), "cannot be read"),
        (GOOD[: len(GOOD) // 2], "cannot be read"),
        (pem_of(b""), "cannot be read"),
        (pem_of(b"\x30\x00"), "cannot be read"),
        (pem_of(DER + b"\0"), "cannot be read"),
        (tampered(), "does not verify"),  # B17
        (pem(request(subject=crypto.Name([]))), "subject is empty"),  # B46
    ],
)
def test_what_must_not_be_signed_is_invalid(conf, bad, reason):
    with pytest.raises(exception.InvalidCsr, match=reason) as caught:
        csr.accept(bad)
    assert caught.value.code == 400
    # B66: all that goes over the wire is short and plain text.
    assert isinstance(caught.value.kwargs["csr"], str)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isascii()


def rsa_key(bits):
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@pytest.mark.parametrize(
    "key",
    [
        rsa_key(1024),  # B46
        ec.generate_private_key(ec.SECP224R1()),
        ec.generate_private_key(ec.SECP192R1()),
        dsa.generate_private_key(2048),
    ],
    ids=["rsa1024", "p224", "p192", "dsa"],
)
def test_weak_keys_are_invalid(conf, key):
    with pytest.raises(exception.InvalidCsr, match=r"key|curve"):
        csr.accept(pem(request(key=key)))


@pytest.mark.parametrize(
    "key",
    [
        ec.generate_private_key(ec.SECP256R1()),
        ec.generate_private_key(ec.SECP384R1()),
        ed25519.Ed25519PrivateKey.generate(),
        ed448.Ed448PrivateKey.generate(),
    ],
    ids=["p256", "p384", "ed25519", "ed448"],
)
def test_other_kinds_of_key_are_accepted(conf, key):
    assert csr.accept(pem(request(key=key))).public_key == key.public_key()


def test_an_rsa_key_longer_than_openssl_verifies_is_invalid(conf):
    # Made by hand: nobody waits for such a key to be generated.
    numbers = rsa.RSAPublicNumbers(65537, 2**16400 + 1).public_key()
    spki = numbers.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    mine = KEY.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    info = crypto.load_der_x509_csr(DER).tbs_certrequest_bytes
    content = sequence(unwrapped(info).replace(mine, spki))
    made = sequence(content + unwrapped(DER)[len(info) :])
    with pytest.raises(exception.InvalidCsr, match="16401 bits"):
        csr.accept(pem_of(made))


def sequence(content):
    return b"\x30\x82" + len(content).to_bytes(2, "big") + content


def unwrapped(der):
    assert der[1] == 0x82
    return der[4:]


def test_subject_key_identifier_is_left_to_the_signer(conf):  # B16
    identifier = crypto.SubjectKeyIdentifier(b"mine")
    assert csr.accept(pem(request((identifier, False)))).extensions == []
    assert csr.accept(pem(request((identifier, True)))).extensions == []


def test_authority_key_identifier_is_left_to_the_signer(conf):
    conf.set_override("allowed_extensions", ["authorityKeyIdentifier"], "x509")
    identifier = crypto.AuthorityKeyIdentifier(b"other", None, None)
    assert csr.accept(pem(request((identifier, False)))).extensions == []


CONSTRAINTS = crypto.NameConstraints([crypto.DNSName("example.org")], None)
UNKNOWN = crypto.UnrecognizedExtension(crypto.ObjectIdentifier("1.2.3.4"), b"\x05\x00")


@pytest.mark.parametrize(
    ("value", "named"), [(CONSTRAINTS, "nameConstraints"), (UNKNOWN, "1.2.3.4")]
)
def test_extensions_that_are_not_allowed(conf, value, named):
    assert csr.accept(pem(request((value, False)))).extensions == []
    with pytest.raises(exception.CertificateValidationError, match=named) as caught:
        csr.accept(pem(request((value, True))))
    assert caught.value.code == 400
    assert caught.value.kwargs["extension"] == named  # B66


def test_every_name_of_the_option_is_known(conf):
    conf.set_override("allowed_extensions", list(csr.EXTENSIONS), "x509")
    conf.set_override("allowed_key_usage", list(csr.KEY_USAGES), "x509")
    made = request((CONSTRAINTS, True), (x509.key_usage("data_encipherment"), True))
    assert extensions(csr.accept(pem(made))) == [
        (CONSTRAINTS, True),
        (x509.key_usage("data_encipherment"), True),
    ]


@pytest.mark.parametrize("critical", [True, False])
def test_names_and_purposes_are_kept_as_they_are(conf, critical):
    names = crypto.SubjectAlternativeName([crypto.DNSName("n1"), crypto.DNSName("kubernetes")])
    purposes = crypto.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    asked = [(names, critical), (purposes, critical)]
    assert extensions(csr.accept(pem(request(*asked)))) == asked


def test_key_usage_is_narrowed_or_refused(conf):
    asked = x509.key_usage("digital_signature", "key_agreement", "encipher_only")
    assert extensions(csr.accept(pem(request((asked, False))))) == [
        (x509.key_usage("digital_signature"), False)
    ]
    with pytest.raises(exception.CertificateValidationError, match="Key Agreement") as caught:
        csr.accept(pem(request((asked, True))))
    assert caught.value.kwargs["extension"] == "keyUsage (Encipher Only, Key Agreement)"
    kept = x509.key_usage("digital_signature", "key_encipherment", "content_commitment")
    assert extensions(csr.accept(pem(request((kept, True))))) == [(kept, True)]


def test_a_key_usage_may_end_up_empty(conf):  # contract/certs.md: the bits are cleared, no more
    asked = x509.key_usage("key_cert_sign")
    assert extensions(csr.accept(pem(request((asked, False))))) == [(x509.key_usage(), False)]


@pytest.mark.parametrize("usage", ["key_cert_sign", "crl_sign"])
def test_signing_usages_need_allow_ca_and_the_list(conf, usage):
    asked = pem(request((x509.key_usage(usage), True)))
    conf.set_override("allowed_key_usage", list(csr.KEY_USAGES), "x509")
    with pytest.raises(exception.CertificateValidationError):
        csr.accept(asked)
    conf.set_override("allow_ca", True, "x509")
    assert extensions(csr.accept(asked)) == [(x509.key_usage(usage), True)]
    conf.set_override("allowed_key_usage", ["Digital Signature"], "x509")
    with pytest.raises(exception.CertificateValidationError):
        csr.accept(asked)


def test_ca_flag(conf):
    ca = crypto.BasicConstraints(ca=True, path_length=None)
    no_ca = crypto.BasicConstraints(ca=False, path_length=None)
    with pytest.raises(exception.CertificateValidationError, match="CA:TRUE"):
        csr.accept(pem(request((ca, True))))
    assert extensions(csr.accept(pem(request((ca, False))))) == [(no_ca, False)]
    assert extensions(csr.accept(pem(request((no_ca, True))))) == [(no_ca, True)]
    conf.set_override("allow_ca", True, "x509")
    assert extensions(csr.accept(pem(request((ca, True))))) == [(ca, True)]


def openssl_request(tmp_path, section):
    key, config, out = tmp_path / "key.pem", tmp_path / "req.cnf", tmp_path / "csr.pem"
    key.write_bytes(x509.key_pem(KEY))
    config.write_text(
        "[req]\ndistinguished_name = dn\nprompt = no\nreq_extensions = ext\n"
        f"[dn]\nCN = admin\nO = system:masters\n[ext]\n{section}\n"
    )
    command = ["openssl", "req", "-new", "-key", key, "-config", config, "-out", out]
    subprocess.run(command, check=True, capture_output=True)
    return out.read_text()


def test_openssl_request_with_a_key_identifier(conf, tmp_path):  # B16
    made = openssl_request(tmp_path, "subjectKeyIdentifier = hash\nkeyUsage = digitalSignature")
    assert extensions(csr.accept(made)) == [(x509.key_usage("digital_signature"), False)]


def test_an_extension_given_twice_is_refused(conf):
    usage = crypto.SubjectAlternativeName([crypto.DNSName("a")])
    other = crypto.UnrecognizedExtension(crypto.ObjectIdentifier("2.5.29.99"), b"\x05\x00")
    der = request((usage, False), (other, False)).public_bytes(serialization.Encoding.DER)
    twice = der.replace(b"\x06\x03\x55\x1d\x63", b"\x06\x03\x55\x1d\x11")
    assert twice != der
    signed = resigned(twice)
    with pytest.raises(exception.CertificateValidationError, match="twice") as caught:
        csr.accept(signed)
    assert caught.value.kwargs["extension"] == "subjectAltName (given twice)"


def resigned(der):
    """Sign the changed body anew, so that only the change is wrong with it."""
    from cryptography.hazmat.primitives.asymmetric import padding

    made = crypto.load_der_x509_csr(der)
    signature = KEY.sign(made.tbs_certrequest_bytes, padding.PKCS1v15(), hashes.SHA256())
    assert len(signature) == len(made.signature)
    return pem_of(der[: -len(signature)] + signature)


def test_skip_validation_keeps_extensions_but_not_key_identifiers(conf):
    made = request((CONSTRAINTS, True), (crypto.SubjectKeyIdentifier(b"mine"), False))
    accepted = csr.accept(pem(made), skip_validation=True)
    assert extensions(accepted) == [(CONSTRAINTS, True)]
    with pytest.raises(exception.InvalidCsr):
        csr.accept(tampered(), skip_validation=True)


@pytest.fixture
def signing_cluster(local_store):
    cluster = Cluster()
    authority.generate(cluster, None).apply(cluster)
    return cluster


RICH = request(
    (crypto.SubjectAlternativeName([crypto.DNSName("n1")]), False),
    (x509.key_usage("digital_signature"), True),
    (crypto.BasicConstraints(ca=False, path_length=None), True),
    (crypto.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False),
    key=ec.generate_private_key(ec.SECP256R1()),
).public_bytes(serialization.Encoding.DER)


def signed_or_refused(cluster, made):
    try:
        certificate = authority.sign(cluster, made, None, None)
    except (exception.InvalidCsr, exception.CertificateValidationError):
        return
    crypto.load_pem_x509_certificate(certificate)


_SLOW = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@_SLOW
@given(st.one_of(st.text(), st.binary(), st.none(), st.integers()))
def test_any_value_is_signed_or_refused(signing_cluster, value):
    signed_or_refused(signing_cluster, value)


@_SLOW
@given(st.lists(st.tuples(st.integers(0, len(RICH) - 1), st.integers(0, 255)), max_size=3))
def test_any_damage_is_signed_or_refused(signing_cluster, changes):
    der = bytearray(RICH)
    for position, value in changes:
        der[position] = value
    signed_or_refused(signing_cluster, pem_of(bytes(der)))


@_SLOW
@given(st.data())
def test_any_damage_is_read_or_refused_past_the_signature(signing_cluster, data):
    """The proof of possession hides what comes after it: here it is taken for good."""
    der = bytearray(RICH)
    for _ in range(data.draw(st.integers(1, 3))):
        der[data.draw(st.integers(0, len(RICH) - 80))] = data.draw(st.integers(0, 255))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csr, "_proven", lambda request: True)
        signed_or_refused(signing_cluster, pem_of(bytes(der)))


def test_operations_sign_and_generate(conf):
    ca = operations.generate_ca_certificate("life", encryption_password="pass")
    pair = operations.generate_csr_and_key("node")
    assert pair["private_key"].startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert pair["public_key"].startswith("-----BEGIN PUBLIC KEY-----")
    signed = operations.sign(pair["csr"], "life", ca["private_key"], "pass")
    issuer = crypto.load_pem_x509_certificate(ca["certificate"])
    crypto.load_pem_x509_certificate(signed).verify_directly_issued_by(issuer)
    client = operations.generate_client_certificate(
        "life", "admin", "system:masters", ca["private_key"], "other", "pass"
    )
    crypto.load_pem_x509_certificate(client["certificate"]).verify_directly_issued_by(issuer)
    key = operations.decrypt_key(client["private_key"], "other")
    assert key.startswith(b"-----BEGIN PRIVATE KEY-----")
    assert key.endswith(b"-----END PRIVATE KEY-----\n")
    with pytest.raises(ValueError, match=r"(?i)password|decrypt"):
        operations.decrypt_key(client["private_key"], "wrong")
    with pytest.raises(TypeError):
        operations.decrypt_key(client["private_key"], None)
