"""The small Kubernetes API client: what the health monitor and the scale manager ask.

One connection per cluster is kept between polls, with the TLS context made from the cluster's
certificates, so that a poll in steady state reads no certificate and shakes no hands.
"""
