import Contracts
import Crypto
import FoundationEssentials
package import ServiceRuntime
import Settings
package import Vocabulary
import WebAuthn

/// The files of the operator that decide which attestations of authenticators are trusted.
package struct AttestationTrust: Sendable {
    /// Trusted for every model.
    let anchors: [Certificate]
    /// Trust anchors, status and name of each model.
    let metadata: AuthenticatorMetadata?

    package static let none = AttestationTrust(anchors: [], metadata: nil)

    init(anchors: [Certificate], metadata: AuthenticatorMetadata?) {
        self.anchors = anchors
        self.metadata = metadata
    }

    /// Reads the files. Errors are added to the reader.
    package init(from reader: inout SettingsReader, at now: Moment) {
        anchors = Self.certificates(.passkeyTrustAnchorsFile, &reader)
        let roots = Self.certificates(.passkeyMDSRootFile, &reader)
        let file = reader.optionalString(.passkeyMDSFile)
        switch (file, roots.first) {
        case (let file?, let root?) where roots.count == 1:
            metadata = Self.metadata(file, root: root, &reader, at: now)
        case (nil, nil): metadata = nil
        case (_?, _), (nil, _?):
            reader.addIssue(
                .passkeyMDSFile, "needs \(Setting.passkeyMDSRootFile.name) with one certificate",
                remedy: "Set both, or none of them")
            metadata = nil
        }
    }

    private static func certificates(_ setting: Setting, _ reader: inout SettingsReader) -> [Certificate] {
        reader.value(
            setting, default: [], placeholder: [], expects: "the path of a file with certificates in PEM form",
            example: "/etc/latchkey/certificates.pem"
        ) { path in
            // `try?`: the error message names the file.
            contents(path).flatMap { String(validating: $0, as: UTF8.self) }.flatMap {
                try? Certificate.all(inPEM: $0)
            }
        }
    }

    private static func metadata(
        _ file: String, root: Certificate, _ reader: inout SettingsReader, at now: Moment
    ) -> AuthenticatorMetadata? {
        guard let blob = contents(file) else {
            reader.addIssue(.passkeyMDSFile, "names a file that cannot be read", remedy: "Name a readable file")
            return nil
        }
        do throws(MetadataError) {
            return try AuthenticatorMetadata(blob: blob, root: root, at: now.timestamp.seconds)
        } catch {
            reader.addIssue(
                .passkeyMDSFile, "names a file that is refused: \(error)",
                remedy: "Download it again from https://mds3.fidoalliance.org")
            return nil
        }
    }

    private static func contents(_ path: String) -> [UInt8]? {
        // `try?`: the caller reports the file.
        (try? Data(contentsOf: URL(filePath: path))).map(Array.init)
    }

    /// The policy of a realm.
    func policy(_ configuration: ProjectConfiguration.Passkeys.Attestation?) -> AttestationPolicy {
        AttestationPolicy(
            conveyance: configuration?.conveyance == .direct ? .direct : .none,
            requiresTrust: configuration?.requireTrusted ?? false,
            allowedAAGUIDs: configuration?.allowedAaguids.nilIfEmpty.map { Set($0.compactMap(AAGUID.init(text:))) },
            deniedAAGUIDs: Set((configuration?.deniedAaguids ?? []).compactMap(AAGUID.init(text:))),
            trustAnchors: anchors, metadata: metadata)
    }

    /// The name of a model for its user; nil for an unknown one.
    func name(of aaguid: AAGUID) -> String? {
        KnownAuthenticators.name(of: aaguid) ?? metadata?[aaguid]?.description.nilIfEmpty
    }

    /// Whether a newer metadata file should exist.
    package func isOutdated(at now: Moment) -> Bool { metadata?.isOutdated(at: now.timestamp.seconds) ?? false }
}
