import Foundation

/// A random text for a sign-in request (OpenID Connect Core 3.1.2.1). The provider receives its SHA-256, and the server
/// the text itself.
/// - Parameter length: characters; at least 1. 32 have about 190 bits.
public func randomNonceString(length: Int = 32) -> String {
    precondition(length > 0, "A nonce has at least one character.")
    var random = SystemRandomNumberGenerator()
    return randomNonceString(length: length, using: &random)
}

/// The same with another source of randomness.
func randomNonceString(
    length: Int, of characters: String = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._",
    using random: inout some RandomNumberGenerator
) -> String {
    let characters = Array(characters.utf8)
    // `randomElement` draws uniformly; the remainder of a byte would prefer the first characters.
    let bytes = (0..<length).compactMap { _ in characters.randomElement(using: &random) }
    return String(decoding: bytes, as: UTF8.self)
}

/// The SHA-256 of a text in lower-case hexadecimal digits, as the identity provider receives a nonce.
public func sha256(_ input: String) -> String {
    SHA256.digest(Array(input.utf8)).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
