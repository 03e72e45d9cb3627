internal import CZMQ

/// The public key of a peer for CURVE (CurveZMQ, RFC 26 of ZeroMQ): 32 bytes, as 40 characters of Z85 (RFC 32).
package struct CurvePublicKey: Hashable, Sendable {
    package let text: String

    /// - Returns: nil unless it is the Z85 text of 32 bytes.
    package init?(_ text: String) {
        guard CurveKeyPair.isKeyText(text) else { return nil }
        self.text = text
    }

    /// - Returns: nil unless there are 32 bytes.
    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == CurveKeyPair.keyBytes, let start = bytes.baseAddress else { return nil }
        var text = [CChar](repeating: 0, count: CurveKeyPair.keyCharacters + 1)
        guard zmq_z85_encode(&text, start.assumingMemoryBound(to: UInt8.self), bytes.count) != nil else { return nil }
        self.text = CurveKeyPair.string(text)
    }
}

/// The key pair of a process for CURVE. The secret key is shown by no description.
package struct CurveKeyPair: Sendable {
    static let keyBytes = 32
    static let keyCharacters = 40

    package let publicKey: CurvePublicKey
    private let secret: String

    /// A new pair, from the random numbers of the system.
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    package static func random() throws(ZeroMQError) -> Self {
        var publicText = [CChar](repeating: 0, count: keyCharacters + 1)
        var secretText = publicText
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .last("zmq_curve_keypair") }
        guard let pair = Self(secretKey: string(secretText)), pair.publicKey.text == string(publicText) else {
            throw .failed(call: "zmq_curve_keypair", on: "", reason: "the keys are no pair")
        }
        return pair
    }

    /// The pair of a secret key, in Z85.
    /// - Returns: nil unless it is the text of 32 bytes.
    package init?(secretKey text: String) {
        var publicText = [CChar](repeating: 0, count: Self.keyCharacters + 1)
        guard Self.isKeyText(text), zmq_curve_public(&publicText, text) == 0,
            let key = CurvePublicKey(Self.string(publicText))
        else { return nil }
        publicKey = key
        secret = text
    }

    /// The secret key in Z85, for its file.
    package func revealSecretKey() -> String { secret }

    static func isKeyText(_ text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: keyBytes)
        // libzmq also decodes longer texts, and would write beyond the buffer.
        return text.utf8.count == keyCharacters && text.utf8.allSatisfy { (33...126).contains($0) }
            && zmq_z85_decode(&bytes, text) != nil
    }

    static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension CurveKeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "key pair of \(publicKey.text)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey.text]) }
}
