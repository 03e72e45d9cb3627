/// The response of `navigator.credentials.create()`, decoded to bytes.
package struct RegistrationResponse: Sendable {
    /// The credential ID.
    package var id: [UInt8]
    /// The same again, if the client sends it.
    package var rawID: [UInt8]?
    /// `public-key`, if the client sends it.
    package var type: String?
    package var clientDataJSON: [UInt8]
    package var attestationObject: [UInt8]
    /// As reported by the client, also values that are not defined yet.
    package var transports: [String]

    package init(
        id: [UInt8], rawID: [UInt8]? = nil, type: String? = nil, clientDataJSON: [UInt8], attestationObject: [UInt8],
        transports: [String] = []
    ) {
        self.id = id
        self.rawID = rawID
        self.type = type
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
    }
}
