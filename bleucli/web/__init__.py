"""The calculator: a page that scores as the user types, and an endpoint for programs, both on this machine only.

- `server.serve`: listens on a port and answers requests
- `guard.Guard`: decides which requests are answered
- `api.make_app`: the addresses, and what each one serves
- `choices`: the options of the endpoint, from the tables of the metrics
- `items.score_items`: texts in, scores out
- `page.make_page`: the page; `fields`: the content of its fields
- `calculator`: what the page shows; `remarks`: what it says about a score; `matches`: what it marks in the texts
"""
