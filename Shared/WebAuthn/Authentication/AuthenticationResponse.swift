/// The response of `navigator.credentials.get()`, decoded to bytes.
package struct AuthenticationResponse: Sendable {
    /// The credential ID.
    package var id: [UInt8]
    /// The same again, if the client sends it.
    package var rawID: [UInt8]?
    /// `public-key`, if the client sends it.
    package var type: String?
    package var clientDataJSON: [UInt8]
    package var authenticatorData: [UInt8]
    package var signature: [UInt8]
    package var userHandle: [UInt8]?

    package init(
        id: [UInt8], rawID: [UInt8]? = nil, type: String? = nil, clientDataJSON: [UInt8], authenticatorData: [UInt8],
        signature: [UInt8], userHandle: [UInt8]? = nil
    ) {
        self.id = id
        self.rawID = rawID
        self.type = type
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}
