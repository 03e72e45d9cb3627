/// Settings of passkeys: the relying party of projects without one of their own, and the trust in attestations.
extension Setting {
    package static let passkeyRPID = Setting(
        "LATCHKEY_PASSKEY_RP_ID", .text, readBy: [.passkey], default: .described("none, and no passkeys"),
        dev: .value("localhost"), example: "example.com",
        "Relying party ID: the domain that passkeys belong to",
        "Existing passkeys do not work under another ID. `passkeyConfig.relyingPartyId` of a project or tenant wins.")

    package static let passkeyOrigins = Setting(
        "LATCHKEY_PASSKEY_ORIGINS", .list, readBy: [.passkey],
        default: .described("https:// and the relying party ID"),
        dev: .described("https:// and the relying party ID; for localhost also http://localhost with any port"),
        example: "https://login.example.com,https://app.example.com",
        "Origins of the pages and apps that may use passkeys of LATCHKEY_PASSKEY_RP_ID",
        "Exact texts: https://HOST, https://HOST:PORT, or android:apk-key-hash:HASH. `passkeyConfig.origins` of a "
            + "project or tenant wins.")

    package static let passkeyTrustAnchorsFile = Setting(
        "LATCHKEY_PASSKEY_TRUST_ANCHORS_FILE", .path, readBy: [.passkey], example: "/etc/latchkey/authenticators.pem",
        "Certificates in PEM form that attestations of authenticators may lead to",
        "Used by projects whose `passkeyConfig.attestation.requireTrusted` is true.")

    package static let passkeyMDSFile = Setting(
        "LATCHKEY_PASSKEY_MDS_FILE", .path, readBy: [.passkey], example: "/var/lib/latchkey/mds3.jwt",
        "Metadata of authenticators: the file of the FIDO Metadata Service, version 3",
        "It contains trust anchors by model. Models with a compromised status are refused. The process reads it at its "
            + "start.")

    package static let passkeyMDSRootFile = Setting(
        "LATCHKEY_PASSKEY_MDS_ROOT_FILE", .path, readBy: [.passkey], example: "/etc/latchkey/mds3-root.pem",
        "Root certificate, in PEM form, of the signature of LATCHKEY_PASSKEY_MDS_FILE",
        "Required with that file.")
}

extension SettingsCatalogue {
    static let passkey: [Setting] = [
        .passkeyRPID, .passkeyOrigins, .passkeyTrustAnchorsFile, .passkeyMDSFile, .passkeyMDSRootFile,
    ]
}
