"""The calculator: a page that scores as the user types, and an endpoint for programs, both on this machine only.

- `server.serve`: listens on a port and answers requests
- `guard.Guard`: decides which requests are answered
- `api.make_app`: the addresses, and what each one serves; `api.score_items`: texts in, scores out
- `models`: what requests may ask for, made from the metrics' tables of options
- `calculator.make_page`: the page, and what it shows
"""
