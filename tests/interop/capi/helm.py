"""A stand-in for helm: writes down how it was called and has the management cluster do it.

    python helm.py RECORD upgrade|uninstall ...

It takes the options that magnum-capi-helm gives and no others; RECORD gets one JSON object a call.
"""

import argparse
import base64
import http.client
import json
import ssl
import sys
import tempfile
import urllib.parse
from typing import Any


def parser() -> argparse.ArgumentParser:
    helm = argparse.ArgumentParser("helm", allow_abbrev=False)
    commands = helm.add_subparsers(dest="command", required=True)
    upgrade = commands.add_parser("upgrade", allow_abbrev=False)
    uninstall = commands.add_parser("uninstall", allow_abbrev=False)
    for command in (upgrade, uninstall):
        command.add_argument("release")
        command.add_argument("--namespace", required=True)
        command.add_argument("--timeout")
        command.add_argument("--kubeconfig", required=True)
    upgrade.add_argument("chart")
    upgrade.add_argument("--install", action="store_true")
    upgrade.add_argument("--output", choices=["json"])
    upgrade.add_argument("--history-max", type=int)
    upgrade.add_argument("--values", choices=["-"])
    upgrade.add_argument("--repo")
    upgrade.add_argument("--version")
    return helm


def ask(kubeconfig: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send the management cluster a request as the user of a kubeconfig that is JSON."""
    with open(kubeconfig) as file:
        config = json.load(file)
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    tls = ssl.create_default_context(cadata=authority)
    with tempfile.NamedTemporaryFile() as chain:
        for part in ("client-key-data", "client-certificate-data"):
            chain.write(base64.b64decode(user[part]))
        chain.flush()
        tls.load_cert_chain(chain.name)
    server = urllib.parse.urlsplit(cluster["server"])
    connection = http.client.HTTPSConnection(str(server.hostname), server.port, context=tls)
    connection.request("POST", path, json.dumps(body))
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def run(options: argparse.Namespace, values: Any) -> tuple[int, str, str]:
    """Return exit status, stdout and stderr."""
    body = {"release": options.release, "namespace": options.namespace, "values": values}
    try:
        status, answer = ask(options.kubeconfig, f"/helm/{options.command}", body)
    except OSError as error:
        return 1, "", f"Error: Kubernetes cluster unreachable: {error}"
    if status != 200:
        return 1, "", f"Error: {answer['message']}"
    return 0, json.dumps(answer), ""


def main() -> int:
    record, *arguments = sys.argv[1:]
    options = parser().parse_args(arguments)
    values = json.load(sys.stdin) if options.command == "upgrade" else None
    status, stdout, stderr = run(options, values)
    with open(record, "a") as file:
        call = {"arguments": arguments, "values": values, "exit": status}
        file.write(json.dumps(call) + "\n")
    print(stdout)  # noqa: T201
    print(stderr, file=sys.stderr)  # noqa: T201
    return status


if __name__ == "__main__":
    sys.exit(main())
