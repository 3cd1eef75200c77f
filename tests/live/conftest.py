from live_fixtures import *  # noqa: F401,F403
