from lib.expected_failures import *  # noqa: F401,F403 - cases whose subject is not built yet
from lib.plugin import *  # noqa: F401,F403 - hooks and fixtures of the suite
