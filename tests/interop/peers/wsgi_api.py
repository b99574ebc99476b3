"""Serve magnum.wsgi.api, the API that opens the database itself.  Arguments: PORT OPTION..."""

import sys

import waitress

port = int(sys.argv.pop(1))

from magnum.wsgi import api  # noqa: E402  reads sys.argv when it is imported

waitress.serve(api.application, host="127.0.0.1", port=port, threads=4)
