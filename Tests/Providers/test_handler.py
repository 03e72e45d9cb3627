"""The rules of the handler (security rules FE1, FE10, FE17, FE18), by HTTP."""

import base64
import json
import secrets
import urllib.parse

import pytest
import redirects
from service import visit

FORM = {"Sec_Fetch_Site": "cross-site", "Origin": "https://provider.example"}


def start(service, provider, path="/__/auth/handler", **changes):
    """Starts a sign-in: the response, and the parameters of the provider's page."""
    fields = {"apiKey": "key", "appName": "[DEFAULT]", "authType": "signInViaRedirect", "providerId": provider,
              "redirectUrl": "http://localhost:8080/app?a=b#c", "v": "12", **changes}
    query = urllib.parse.urlencode({name: value for name, value in fields.items() if value is not None})
    response = visit(f"{service.origin}{path}?{query}")
    page = urllib.parse.urlsplit(response.location or "")
    return response, dict(urllib.parse.parse_qsl(page.query))


def cookie(response):
    """The `Cookie` field with all cookies that a response sets."""
    return "; ".join(f"{name}={value}" for name, (value, attributes) in response.cookies().items()
                     if "Max-Age=0" not in attributes)


def delivery(response):
    """What the script of the page gets."""
    import html

    text = response.text.partition('data-delivery="')[2].partition('"')[0]
    return json.loads(html.unescape(text))


def finish(service, state, cookies, **fields):
    query = urllib.parse.urlencode({"code": "c-1", "state": state, **fields})
    return visit(f"{service.origin}/__/auth/handler?{query}", **({"Cookie": cookies} if cookies else {}))


def test_start(service, mock):
    for path in ("/__/auth/handler", "/emulator/auth/handler"):
        response, page = start(service, mock, path)
        assert response.status == 302 and page["redirect_uri"] == service.redirect_uri
        assert len(base64.urlsafe_b64decode(page["state"] + "=")) == 32 and page["code_challenge_method"] == "S256"
        (name, (value, attributes)), = response.cookies().items()
        assert name.startswith("latchkey-sign-in-") and page["state"].startswith(name[len("latchkey-sign-in-"):])
        assert set(attributes) == {"Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax"}
        assert response.headers["Cache-Control"] == "no-store" and response.headers["Referrer-Policy"] == "no-referrer"


def test_state_belongs_to_browser_and_works_once(service, mock):
    response, page = start(service, mock)
    other, _ = start(service, mock)
    for stolen in (None, cookie(other), cookie(response).replace("latchkey-sign-in-", "latchkey-sign-in-x")):
        refused = finish(service, page["state"], stolen)
        assert refused.status == 400 and "has ended" in refused.text and "data-delivery" not in refused.text
    done = finish(service, page["state"], cookie(response))
    assert done.status == 200
    (value, attributes), = done.cookies().values()
    assert value == "" and "Max-Age=0" in attributes
    result = delivery(done)
    assert result["channel"] == "storage" and result["redirectURL"] == "http://localhost:8080/app?a=b#c"
    assert result["storageKey"] == "key:[DEFAULT]"
    assert result["event"]["urlResponse"].startswith(f"{service.redirect_uri}?") and result["event"]["sessionId"]
    assert finish(service, page["state"], cookie(done)).status == 400


def test_session_of_another_sign_in(service, pyop):
    """Federation checks the session again, and a state works once."""
    first, page = start(service, pyop.code)
    second, other = start(service, pyop.code)
    sessions = [delivery(finish(service, fields["state"], cookie(response)))["event"]["sessionId"]
                for response, fields in ((first, page), (second, other))]
    for session in (sessions[1], sessions[0]):  # The first attempt redeems the state.
        with pytest.raises(Exception, match="INVALID_IDP_RESPONSE"):
            service.call("v1/accounts:signInWithIdp", requestUri=f"{service.redirect_uri}?state={page['state']}&code=c",
                         sessionId=session, returnSecureToken=True)


def test_cross_site_form(service, mock):
    response, page = start(service, mock)
    url = f"{service.origin}/__/auth/handler"
    fields = {"state": page["state"], "code": "c-1", "user": '{"name":{"firstName":"A"}}'}
    assert visit(url, fields, **FORM).status == 400
    done = visit(url, fields, Cookie=cookie(response), **FORM)
    event = delivery(done)["event"]
    assert event["urlResponse"] == url and dict(urllib.parse.parse_qsl(event["postBody"])) == fields
    # SAML, also at the other path.
    response, page = start(service, mock)
    saml = {"RelayState": page["state"], "SAMLResponse": "PHg+"}
    done = visit(f"{service.origin}/__/auth/callback", saml, Cookie=cookie(response), **FORM)
    assert dict(urllib.parse.parse_qsl(delivery(done)["event"]["postBody"])) == saml


def test_many_sign_ins_leave_room_for_the_request(service, mock):
    """The oldest cookies give way: a request with all of them stays below the limit of the server."""
    jar = {}
    long = "http://localhost:8080/app?" + "x" * 1500
    for _ in range(12):
        query = urllib.parse.urlencode({
            "apiKey": "key", "appName": "a", "authType": "signInViaRedirect", "providerId": mock, "redirectUrl": long})
        response = visit(f"{service.origin}/__/auth/handler?{query}",
                         **({"Cookie": "; ".join(f"{n}={v}" for n, v in jar.items())} if jar else {}))
        assert response.status == 302
        for name, (value, attributes) in response.cookies().items():
            jar.pop(name, None)
            if "Max-Age=0" not in attributes:
                jar[name] = value
        assert sum(len(name) + len(value) for name, value in jar.items()) <= 9000
    assert len(jar) >= 2


def test_parameter_is_missing_or_malformed(service, mock):
    for changes in (
            {"apiKey": None}, {"appName": None}, {"authType": "signInViaMagic"}, {"providerId": None},
            {"redirectUrl": None}, {"authType": "signInViaPopup"}, {"authType": "signInViaPopup", "eventId": "a<b"},
            {"customParameters": "{"}, {"customParameters": "[]"}, {"appName": "a" * 300}):
        response, _ = start(service, mock, **changes)
        assert response.status == 400 and response.location is None and not response.cookies(), changes


def test_open_redirects(service, mock):
    """Neither the start nor the end redirects to a URL of the corpus."""
    assert len(redirects.URLS) >= 200
    for url in redirects.URLS:
        response, _ = start(service, mock, redirectUrl=url)
        assert response.status == 400 and response.location is None, url
        response, _ = start(service, mock, "/__/auth/signin", redirectUrl=url, state="s")
        assert response.status == 400 and response.location is None, url


def test_redirect_is_checked_at_the_end(service, mock):
    """In dev mode the cookie has no prefix: another page of this machine could write one."""
    response, page = start(service, mock)
    (name, (value, _)), = response.cookies().items()
    content = json.loads(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)))
    for url in redirects.URLS[::5]:
        content["channel"]["javaScript"]["redirectURL"] = url
        forged = base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
        refused = visit(f"{service.origin}/__/auth/handler?state={page['state']}&code=c", Cookie=f"{name}={forged}")
        assert refused.status in (400, 431) and "data-delivery" not in refused.text, url


XSS = [
    "<script>alert(1)</script>", "\"><script>alert(1)</script>", "'><img src=x onerror=alert(1)>", "</title><svg onload=alert(1)>",
    "<svg/onload=alert(1)>", "javascript:alert(1)", "{{7*7}}", "${7*7}", "<!--", "]]><script>alert(1)</script>",
    "\u202eevil", "%3Cscript%3Ealert(1)%3C/script%3E", "&lt;script&gt;alert(1)&lt;/script&gt;", "a\r\nSet-Cookie: x=y",
    "<iframe src=//evil.example>", "<a href='//evil.example'>Click</a>", "\"onmouseover=alert(1) x=\"", "<math><mtext></mtext>",
    "Call 555-0100 now",
]


def test_nul_is_refused(service, mock):
    response, page = start(service, mock)
    result = finish(service, page["state"], cookie(response), error="a\x00b")
    assert result.status == 400 and "data-delivery" not in result.text


@pytest.mark.parametrize("text", XSS)
def test_error_is_not_reflected(service, mock, text):
    response, page = start(service, mock)
    result = finish(service, page["state"], cookie(response), error=text, error_description=text, error_uri=text)
    assert result.status == 400 and delivery(result)["event"]["error"]["code"] == "auth/invalid-credential"
    assert text not in result.text and "555-0100" not in result.text and "alert(1)" not in result.text
    for name, value in result.headers.items():
        assert name != "x" and "evil" not in value
    # Without a sign-in of this browser.
    result = finish(service, text, None, error=text, error_description=text)
    assert result.status == 400 and "alert(1)" not in result.text and "555-0100" not in result.text


def test_provider_is_down(service):
    provider = service.configure("down", "http://localhost:9")
    response, _ = start(service, provider)
    assert response.status == 503 and "The provider cannot be reached" in response.text
    assert delivery(response)["event"]["error"]["code"] == "auth/network-request-failed"
    assert delivery(response)["returnsAtOnce"] is False


def test_provider_is_disabled_or_impossible(service, mock):
    provider = service.configure("off", "http://localhost:9")
    service.admin("PATCH", f"/oauthIdpConfigs/{provider}?updateMask=enabled", {"enabled": False})
    for identifier in (provider, "twitter.com", "oidc.", "<script>"):
        response, _ = start(service, identifier)
        assert response.status == 400 and delivery(response)["event"]["error"]["code"] == "auth/operation-not-allowed"
        assert "<script>alert" not in response.text


def test_frame(service):
    query = "apiKey=key&appName=%5BDEFAULT%5D&v=12"
    for path in ("/__/auth/iframe", "/emulator/auth/iframe"):
        response = visit(f"{service.origin}{path}?{query}")
        policy = response.headers["Content-Security-Policy"]
        assert response.status == 200 and response.headers["X-Frame-Options"] is None
        assert "frame-ancestors https://localhost:* http://localhost:*" in policy
        assert "script-src 'self' https://apis.google.com; " in policy
        assert "unsafe" not in policy and "<script>" not in response.text and "[DEFAULT]" not in response.text
    assert visit(f"{service.origin}/__/auth/iframe").status == 400


def test_native_application(service, mock):
    session = secrets.token_hex(16)
    import hashlib

    fields = {
        "authType": "signInWithRedirect", "appName": None, "redirectUrl": None, "eventId": "Ev1",
        "ibi": "org.example.app", "clientId": "5501-abc.apps.example",
        "sessionId": hashlib.sha256(session.encode()).hexdigest()}
    response, page = start(service, mock, **fields)
    assert response.status == 302
    done = finish(service, page["state"], cookie(response))
    scheme, _, link = done.location.partition("://firebaseauth/link?deep_link_id=")
    assert done.status == 303 and scheme == "example.apps.5501-abc"
    inner = urllib.parse.urlsplit(urllib.parse.unquote(link))
    query = dict(urllib.parse.parse_qsl(inner.query))
    assert (inner.netloc, inner.path) == ("localhost", "/__/auth/callback")
    assert query["authType"] == "signInWithRedirect" and query["eventId"] == "Ev1"
    assert query["link"].startswith(f"{service.redirect_uri}?") and page["state"] in query["link"]
    # Failures are for the application.
    response, page = start(service, mock, **fields)
    done = finish(service, page["state"], cookie(response), error="access_denied")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(urllib.parse.unquote(done.location)).query)
    assert "auth/user-cancelled" in done.location or "auth%252Fuser-cancelled" in done.location, query
    for change in ({"ibi": "a b"}, {"ibi": None}, {"sessionId": None}, {"eventId": None}):
        refused, _ = start(service, mock, **{**fields, **change})
        assert refused.status == 400 and refused.location is None, change
