"""Made-up values that look real, and harmless strings that look like them.

Every secret is put together here from parts, so that no scanner takes this file for a leak.
"""

from typing import NamedTuple


class Planted(NamedTuple):
    kind: str
    query: str
    secret: str
    region: str = "US"


def _p(kind: str, before: str, secret: str, after: str = "", region: str = "US") -> Planted:
    return Planted(kind, before + secret + after, secret, region)


_RANDOM = "q7Zt4LmX9" + "vB2nKp8RwY5" + "sD3hJf6Gc1A"
_HEX = "9f86d081884c7d65" + "9a2feaa0c55ad015"

PLANTED = (
    # E-mail addresses
    _p("EMAIL", "why does ", "jane.doe@example.com", " get no mail"),
    _p("EMAIL", "login as ", "jane.doe+test@mail.example.co.uk", "?"),
    _p("EMAIL", "mailto:", "o'brien@example.ie"),
    _p("EMAIL", "user ", "jane＠example．com", " locked"),
    _p("EMAIL", "user ", "ja\u200bne@exam\u00adple.com", " locked"),
    _p("EMAIL", "konto ", "jürgen.müller@bücher.example", " gesperrt"),
    _p("EMAIL", "account ", "иван@пример.рф", " blocked"),
    _p("EMAIL", "search?user=", "jane%40example.com", "&page=2"),
    _p("EMAIL", "ask ", "jane (at) example.com", " about it"),
    _p("EMAIL", "ask ", "jane [at] example [dot] com", " about it"),
    _p("EMAIL", "[", "JANE_DOE@EXAMPLE.ORG", "] cannot log in"),
    _p("EMAIL", "xmpp ", "x@xn--bcher-kva.example", " down"),
    # Phones
    _p("PHONE", "call ", "415-555-2671", " back"),
    _p("PHONE", "call ", "(415) 555-2671", " back"),
    _p("PHONE", "sms to ", "4155552671", " not delivered"),
    _p("PHONE", "sms to ", "415.555.2671", " not delivered"),
    _p("PHONE", "sms to ", "+1 (415) 555-2671 ext. 12"),
    _p("PHONE", "tel:", "+1-201-555-0123"),
    _p("PHONE", "sms to ", "+49 30 901820"),
    _p("PHONE", "sms to ", "+49 30 90 18 20"),
    _p("PHONE", "sms to ", "+4930901820"),
    _p("PHONE", "sms to ", "+33 6 12 34 56 78", " fails"),
    _p("PHONE", "sms to ", "+44 20 7946 0958", " fails"),
    _p("PHONE", "sms to ", "+86 138 0013 8000", " fails"),
    _p("PHONE", "sms to ", "+91-98765-43210", " fails"),
    _p("PHONE", "sms to ", "＋８１ ３ １２３４ ５６７８", " fails"),
    _p("PHONE", "dial ", "0049 30 901820", " from the us"),
    _p("PHONE", "phone: ", "030 901820"),
    _p("PHONE", "Telefon ", "0171/123 45 67", " nicht erreichbar"),
    _p("PHONE", "sms an ", "030/901820", " geht nicht", "DE"),
    _p("PHONE", "sms an ", "0171 1234567", " geht nicht", "DE"),
    _p("PHONE", "sms an ", "01711234567", " geht nicht", "DE"),
    _p("PHONE", "sms to ", "020 7946 0958", " fails", "GB"),
    _p("PHONE", "sms à ", "06 12 34 56 78", " échoue", "FR"),
    _p("PHONE", "sms to ", "98765 43210", " fails", "IN"),
    # Cards
    _p("CARD", "payment with ", "4111 1111 1111 1111", " declined"),
    _p("CARD", "payment with ", "4111-1111-1111-1111", " declined"),
    _p("CARD", '{"card":', "4111111111111111", ',"cvv":1}'),
    _p("CARD", "card ", "5555555555554444", ".0 from the export"),
    _p("CARD", "amex ", "3782 822463 10005", " declined"),
    _p("CARD", "diners ", "30569309025904"),
    _p("CARD", "card ", "6011 1111 1111 1117", " 123"),
    _p("CARD", "card_", "2223003122003222"),
    # Bank accounts
    _p("IBAN", "refund to ", "DE89 3704 0044 0532 0130 00", " when"),
    _p("IBAN", "refund to ", "DE89370400440532013000"),
    _p("IBAN", "refund to ", "gb29nwbk60161331926819", " please"),
    _p("IBAN", "refund to ", "AT61 1904 3002 3457 3201", " with fees"),
    _p("IBAN", "refund to ", "NO93-8601-1117-947"),
    # Addresses of machines
    _p("IP", "cannot ping ", "192.168.10.20"),
    _p("IP", "connect to ", "203.0.113.7", ":8080 refused"),
    _p("IP", "allow ", "10.20.0.0", "/16 in the firewall"),
    _p("IP", "connect to [", "2001:db8::8a2e:370:7334", "]:443"),
    _p("IP", "route ", "fe80::1ff:fe23:4567:890a", ": no reply"),
    _p("IP", "mapped ", "::ffff:198.51.100.4", " address"),
    # Credentials in URLs
    _p("CREDENTIALS", "clone https://", "jane:hunter2", "@git.example.com/repo.git fails"),
    _p("CREDENTIALS", "postgres://", "app:p@ss:w0rd", "@db.example.com:5432/main"),
    _p("CREDENTIALS", "redis://", ":s3cr3tpw", "@cache:6379/0"),
    # Tokens of a known shape
    _p("TOKEN", "key ", "sk-" + "proj-" + _RANDOM, " rejected"),
    _p("TOKEN", "key ", "ghp_" + _RANDOM + "aB3d", " rejected"),
    _p("TOKEN", "key ", "github_" + "pat_11ABCDEFG0" + _RANDOM, " rejected"),
    _p("TOKEN", "key ", "xoxb-" + "123456789012-" + "abcDEF456ghi", " rejected"),
    _p("TOKEN", "key ", "AKIA" + "IOSFODNN7EXAMPLE", " rejected"),
    _p("TOKEN", "key ", "AIza" + "SyD3x4mple" + _RANDOM[:25], " rejected"),
    _p("TOKEN", "key ", "glpat-" + "x4mpl3tok3n-Ab12Cd", " rejected"),
    _p("TOKEN", "key ", "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZabcdefgh", " rejected"),
    _p("TOKEN", "key ", "wf_" + "live_" + "8f3k2j5h7d9s1a4g6l", " rejected"),
    _p("TOKEN", "key ", "sk_" + "test_" + "4eC39HqLyjWDarjtT1zdp7dc", " rejected"),
    _p("TOKEN", "jwt ", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmN"),
    _p("TOKEN", "tenant ", "123e4567-e89b-12d3-a456-426614174000", " missing"),
    _p("TOKEN", "commit ", _HEX + "deadbeef", " fails"),
    _p("TOKEN", "digest sha256:", _HEX + _HEX),
    _p("TOKEN", "key ", "-----BEGIN RSA " + "PRIVATE KEY-----MIIEowIBAAKCAQEA-----END RSA PRIVATE KEY-----"),
    # Tokens behind a name
    _p("TOKEN", "curl -H 'Authorization: Bearer ", "abc123def456", "' fails"),
    _p("TOKEN", "Authorization: Basic ", "amFuZTpodW50ZXI=", " 401"),
    _p("TOKEN", "bearer ", "9f8a7b6c5d", " expired"),
    _p("TOKEN", "login with password=", "swordfish", "&user=x"),
    _p("TOKEN", "DB_PASSWORD=", "c0rrect!horse,battery", " not read"),
    _p("TOKEN", "password: ", "hunter2", " does not work"),
    _p("TOKEN", "my password: ", "swordfish"),
    _p("TOKEN", "my password is ", "hunter2", "! why"),
    _p("TOKEN", "helm --set secret=", '"two words"', " fails"),
    _p("TOKEN", '{"api_key": ', '"letmein"', "}"),
    _p("TOKEN", "mein Passwort lautet ", "hunter2", " und geht nicht"),
    _p("TOKEN", "set password=", "<hunter2", " in the file"),
    _p("TOKEN", "api key: ", "Zx9-Yw8", " invalid"),
    _p("TOKEN", "argocd login --password ", "s3cret", " --insecure"),
    _p("TOKEN", "export TOKEN=", "$ecret1"),
    # Random strings
    _p("TOKEN", "what is ", _RANDOM),
    _p("TOKEN", "what is ", "Xk29/fPq8+LmZ4t7" + "Wv1bN5cR3yH6sD0g=="),
    _p("TOKEN", "open /my-long-service-name/with-a-descriptive-path/", _RANDOM, "/edit"),
    _p("TOKEN", "object ", "507f1f77bcf86cd799439011", " not found"),
)
"""What ``scrub`` must take out."""

MISSED = (
    _p("", "why is ", "Jane Doe", " locked out"),
    _p("", "the password is ", "swordfish"),
    _p("", "ssn ", "123-45-6789"),
    _p("", "sms to ", "030 901820"),
    _p("", "call ", "555-2671"),
    _p("", "ask ", "jane at example dot com"),
    _p("", "key ", "aB3dE5fG7hJ9"),
    _p("", "host ", "ip-10-20-30-40"),
    _p("", "mac ", "00:1a:2b:3c:4d:5e"),
    _p("", "curl -u ", "jane:hunter2", " fails"),
)
"""Known limits: personal data that stays."""

HARMLESS = (
    "pi is 3.14159265358979 or 0.30000000000000004",
    "ratio 415.5552671 too high",
    "released 2024-01-02 or 02.01.2024 or 1/2/2024",
    "logs between 2024-05-06T10:11:12Z and 2024-05-06 10:11:12.123456",
    "backup-20240102T101112Z-full of the cluster",
    "unix time 1700000000 and 1700000000123",
    "year 2024 2025 2026 2027",
    "upgrade 1.2.3 to v2.13.0-rc.1",
    "upgrade to v1.2.3.4 or version 10.2.3.4",
    "chrome 120.0.6099.109 unsupported",
    "node lodash@4.17.21 @types/node@20.1.0",
    "order ORD-000123 missing",
    "order 0001234567 and 0012345678",
    "order ORD-4155552671 and ticket 4155552671 and #4155552671",
    "error WF-4012 and E1001",
    "HTTP 404 on ports 8080, 9090 and 30000-32767",
    "limits 1000m 512Mi 1,234,567,890 bytes",
    "1024 2048 4096 8192 shards",
    "chmod 0755 0644",
    "bind 0.0.0.0:8080 or 127.0.0.1 or ::1",
    "netmask 255.255.255.0",
    "mount /etc/kubernetes/manifests/kube-apiserver-v1.29.yaml",
    "C:\\Program Files\\App64\\config2.ini",
    "/usr/local/lib/python3.11/site-packages/numpy2/core",
    "/docs/argo-cd/operator-manual/upgrading/2-13-3-14",
    "container_memory_working_set_bytes by namespace_1",
    "kube_pod_container_status_last_terminated_reason2",
    "my_test_environment1_configuration",
    "apiextensions-k8s-io-v1beta1-customresourcedefinition",
    "prometheus-kube-prometheus-operator-7d9f8b6c5d-x2x9z",
    "x86_64-unknown-linux-gnu aarch64-apple-darwin23",
    "ubuntu-22-04-lts-amd64-k8s-1-29-minimal",
    "getUserByIdV2FromDatabase3AndCache",
    "git checkout 3f9a1bc fails",
    "clone git@github.com:org/repo.git",
    "user@host and postgres@localhost",
    "std::vector<int> or dead::beef or a::b",
    "job:http_requests:rate5m at 10:11:12",
    "https://docs.example.com:8443/en/v2.13/a-page@latest",
    "how do I reset a forgotten password",
    "password: how do I change it",
    "the password is incorrect",
    "token is required, token: required",
    "unexpected token: newline",
    "unexpected token: '}'",
    "set password=$PASSWORD and token=${TOKEN} and secret=<your own secret>",
    "if token == null",
    "max_tokens=512 tokenizer=bert secretName: argocd-secret",
    "--password flag of argocd login",
    "bearer authentication and bearer oauth2-proxy",
    "sk-learn and sk_SK locale hf_hub_download",
    "BE12 units when they were sent over here",
    "phone 2024-01-02 crash",
    "step 1-2-3-4-5-6-7 of 10",
    "id=4155552672 or job 4155552672",
    "price 12 345 678,90 EUR",
    "ISBN 978-3-16-148410-0",
    "10 000 000 users",
    "SHA-256 with RSA-2048 and ED25519",
    "0xdeadbeef 0x7fffffff",
    "values above 2147483647 overflow",
    "/Users/x/k8s-v1beta1-Config2-v2alpha1",
    "c++20 c#12 f# .NET8",
)
"""What ``scrub`` must leave as it is."""

FALSELY_TAKEN = (
    ("invoice from 2025551234 records", "US"),
    ("bestellung 01711234567", "DE"),
    ("next 1.2.3.4 of the schema", "US"),
    ("ports 4000 4001 4002 4005", "US"),
    ("the secret is k8s-managed", "US"),
    ("docker build --secret id=npmrc", "US"),
)
"""Known limits: harmless strings that are taken."""
