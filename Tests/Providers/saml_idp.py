"""A SAML identity provider of another author: `pysaml2`, which signs with `xmlsec1`."""

import datetime
import shutil
import urllib.parse
import warnings

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.utils import CryptographyDeprecationWarning
from servers import Server, html

warnings.simplefilter("ignore", CryptographyDeprecationWarning)

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT  # noqa: E402
from saml2.authn_context import PASSWORDPROTECTEDTRANSPORT  # noqa: E402
from saml2.config import IdPConfig  # noqa: E402
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NAMEID_FORMAT_TRANSIENT  # noqa: E402, F401
from saml2.response import IncorrectlySigned  # noqa: E402
from saml2.server import Server as IdentityProvider  # noqa: E402
from saml2.sigver import SigverError  # noqa: E402
from saml2.xmldsig import DIGEST_SHA1, DIGEST_SHA256, SIG_RSA_SHA1, SIG_RSA_SHA256  # noqa: E402, F401

USER = {"mail": ["ada@example.com"], "givenName": ["Ada"], "sn": ["Lovelace"], "displayName": ["Ada Lovelace"],
        "eduPersonAffiliation": ["staff", "member"]}

METADATA = """
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{entity}">
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"
      AuthnRequestsSigned="{signed}" WantAssertionsSigned="true">
    {key}
    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="{callback}"
        index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
"""
KEY = """<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>
<ds:X509Certificate>{}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"""


class SAMLProvider:
    """It signs everybody in at once. `response` has the arguments of the next responses."""

    def __init__(self, folder, service):
        self.server = Server(self.respond)
        self.origin = f"http://localhost:{self.server.port}"
        self.entity, self.sp_entity = f"{self.origin}/metadata", f"{service.origin}/saml"
        self.key_file, self.certificate_file = folder / "idp.key", folder / "idp.pem"
        self.service, self.requests = service, []
        self.certificate = self.make_certificate()
        self.reset()
        self.configure_idp([])

    def reset(self):
        self.response = {"sign_assertion": True, "sign_response": False, "sign_alg": SIG_RSA_SHA256,
                         "digest_alg": DIGEST_SHA256, "userid": "ada"}
        self.change = lambda text: text
        self.relays_state = True

    def make_certificate(self):
        key = rsa.generate_private_key(65537, 2048)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "idp.example")])
        now = datetime.datetime.now(datetime.timezone.utc)
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256()))
        self.key_file.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()))
        text = certificate.public_bytes(serialization.Encoding.PEM)
        self.certificate_file.write_bytes(text)
        return text.decode()

    def configure_idp(self, certificates, name_id=NAMEID_FORMAT_PERSISTENT):
        """Registers Latchkey: its certificates, if it signs requests."""
        keys = [KEY.format("".join(text.strip().splitlines()[1:-1])) for text in certificates]
        metadata = METADATA.format(
            entity=self.sp_entity, callback=self.service.redirect_uri, signed=str(bool(keys)).lower(),
            key="".join(keys))
        former = getattr(self, "idp", None)
        self.idp = IdentityProvider(config=IdPConfig().load({
            "entityid": self.entity, "xmlsec_binary": shutil.which("xmlsec1"), "key_file": str(self.key_file),
            "cert_file": str(self.certificate_file), "metadata": {"inline": [metadata]},
            "service": {"idp": {
                "endpoints": {"single_sign_on_service": [(f"{self.origin}/sso", BINDING_HTTP_REDIRECT)]},
                "want_authn_requests_signed": bool(keys),
                "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None,
                                       "nameid_format": name_id}}}}}))
        if former:
            # A user keeps the persistent NameID.
            self.idp.ident = former.ident

    def configure(self, name, **changes):
        """Configures this provider in Latchkey. Returns its ID and the document."""
        document = {
            "displayName": name, "enabled": True,
            "idpConfig": {"idpEntityId": self.entity, "ssoUrl": f"{self.origin}/sso", "signRequest": False,
                          "idpCertificates": [{"x509Certificate": self.certificate}]},
            "spConfig": {"spEntityId": self.sp_entity, "callbackUri": self.service.redirect_uri}}
        for path, value in changes.items():
            first, _, second = path.partition("__")
            if second:
                document[first][second] = value
            else:
                document[first] = value
        provider = f"saml.{name}"
        return provider, self.service.admin(
            "POST", f"/inboundSamlConfigs?inboundSamlConfigId={provider}", document)

    def respond(self, method, path, query, headers, body):
        if path != "/sso":
            return 404, {}, b""
        fields = dict(urllib.parse.parse_qsl(query))
        self.requests.append(fields)
        try:  # Verifies the signature, if the metadata requires one.
            request = self.idp.parse_authn_request(
                fields["SAMLRequest"], BINDING_HTTP_REDIRECT, relay_state=fields["RelayState"],
                sigalg=fields.get("SigAlg"), signature=fields.get("Signature"))
        except (IncorrectlySigned, SigverError):
            return 400, {}, b"signature"
        arguments = self.idp.response_args(request.message)
        arguments = {name: arguments[name] for name in
                     ("in_response_to", "destination", "sp_entity_id", "name_id_policy")}
        response = self.idp.create_authn_response(
            USER, **arguments, **self.response,
            authn={"class_ref": PASSWORDPROTECTEDTRANSPORT, "authn_auth": self.entity})
        page = self.idp.apply_binding(
            BINDING_HTTP_POST, self.change(str(response)), arguments["destination"],
            fields["RelayState"] if self.relays_state else "", response=True)
        return html(page["data"])

    def stop(self):
        self.server.stop()
