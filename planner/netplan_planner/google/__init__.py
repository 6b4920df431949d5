"""The door to Google's APIs: one transport for requests that read, and the readers on it.

`requests` and Google's auth library are imported when something is asked for, not before.
"""
