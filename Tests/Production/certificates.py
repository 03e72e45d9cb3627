"""A private certificate authority and the certificates that it issues."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NOW = datetime.datetime.now(datetime.UTC)


class Authority:
    def __init__(self, folder):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Private CA")])
        certificate = self._builder(self.name, self.key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True).add_extension(
            x509.KeyUsage(key_cert_sign=True, crl_sign=True, digital_signature=False, content_commitment=False,
                          key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
                          decipher_only=False), critical=True).add_extension(
            x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), critical=False).sign(
            self.key, hashes.SHA256())
        self.file = folder / "ca.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def _builder(self, subject, key):
        return x509.CertificateBuilder(
            issuer_name=self.name, subject_name=subject, public_key=key.public_key(),
            serial_number=x509.random_serial_number(), not_valid_before=NOW - datetime.timedelta(days=1),
            not_valid_after=NOW + datetime.timedelta(days=30))

    def issue(self, path, *names):
        """Writes a certificate for the names to `path`.pem, and its key to `path`.key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        certificate = self._builder(subject, key).add_extension(
            x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False).add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False).sign(
            self.key, hashes.SHA256())
        path.with_suffix(".pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        path.with_suffix(".key").write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
