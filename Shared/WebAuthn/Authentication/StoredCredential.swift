/// A credential record as stored before an authentication.
package struct StoredCredential: Sendable {
    package var credentialID: [UInt8]
    /// The COSE key.
    package var publicKey: [UInt8]
    package var algorithm: COSEAlgorithm
    package var signCount: UInt32
    /// As registered; nil if unknown.
    package var isBackupEligible: Bool?
    /// The user handle of the account that owns the credential.
    package var userHandle: [UInt8]

    package init(
        credentialID: [UInt8], publicKey: [UInt8], algorithm: COSEAlgorithm, signCount: UInt32,
        isBackupEligible: Bool?, userHandle: [UInt8]
    ) {
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
        self.userHandle = userHandle
    }
}
