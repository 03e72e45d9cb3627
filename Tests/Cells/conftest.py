import pytest
from machines import running


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """A test that fails shows what its meshes have logged last."""
    report = yield
    if report.failed:
        for mesh in running:
            lines = [line for line in mesh.log.splitlines() if "/readyz" not in line]
            told = [line for line in lines if " warn " in line or " error " in line or " status=5" in line]
            report.sections.append((f"log of {mesh.data}", "\n".join([*told[-20:], "...", *lines[-20:]])))
    return report
