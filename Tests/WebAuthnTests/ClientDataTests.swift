import Crypto
import Testing
import WebAuthn

@Suite struct ClientDataTests {
    private func register(
        _ relyingParty: RelyingParty = TestAuthenticator.relyingParty, _ change: (inout TestAuthenticator) -> Void
    ) throws {
        var authenticator = try TestAuthenticator()
        change(&authenticator)
        var ceremony = TestAuthenticator.registration
        ceremony.relyingParty = relyingParty
        _ = try ceremony.verify(authenticator.register(), at: TestAuthenticator.now)
    }

    // MARK: Parsing

    /// Security rule WR3.
    @Test(arguments: [
        "", "[]", "null", "{}", "1", "{\"type\":\"webauthn.create\",\"challenge\":\"a\"}",
        "{\"type\":1,\"challenge\":\"a\",\"origin\":\"b\"}", "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":[\"b\"]}",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"b\",\"crossOrigin\":\"true\"}",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"b\",\"crossOrigin\":1}",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"b\",\"topOrigin\":false}",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"b\",\"origin\":\"b\"}",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"b\",\"o\\u0072igin\":\"b\"}",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"b\",\"x\":{\"y\":1,\"y\":2}}",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"b\"} x",
        "{\"type\":\"a\",\"challenge\":\"a\",\"origin\":\"\\ud800\"}",
    ])
    func malformedTextIsRejected(text: String) {
        #expect(throws: WebAuthnError.malformedClientData) { try ClientData(json: Array(text.utf8)) }
    }

    private let valid = Array("{\"type\":\"a\",\"challenge\":\"b\",\"origin\":\"c\"}".utf8)
    private let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    @Test func oneByteOrderMarkIsIgnored() throws {
        let plain = try ClientData(json: valid)
        let marked = try ClientData(json: byteOrderMark + valid)
        #expect(plain.origin == "c" && marked.origin == "c" && !plain.crossOrigin && plain.topOrigin == nil)
        // The hash covers it.
        #expect(marked.hash == SHA2.sha256(byteOrderMark + valid) && plain.hash == SHA2.sha256(valid))
        #expect(throws: WebAuthnError.malformedClientData) {
            try ClientData(json: byteOrderMark + byteOrderMark + valid)
        }
    }

    @Test func otherEncodingsAreRejected() {
        let bigEndian: [UInt8] = valid.flatMap { [0, $0] }
        let littleEndian: [UInt8] = valid.flatMap { [$0, 0] }
        for bytes in [bigEndian, littleEndian, [0xfe, 0xff] + bigEndian, [0xff, 0xfe] + littleEndian, valid + [0xff]] {
            #expect(throws: WebAuthnError.malformedClientData) { try ClientData(json: bytes) }
        }
    }

    @Test func lengthIsLimited() throws {
        let padding = [UInt8](repeating: 0x20, count: (64 << 10) - valid.count)
        #expect(throws: Never.self) { try ClientData(json: valid + padding) }
        #expect(throws: WebAuthnError.malformedClientData) { try ClientData(json: valid + padding + [0x20]) }
    }

    // MARK: Origins

    /// Security rule WR6.
    @Test(arguments: [
        "https://login.example.com:443", "https://login.example.com/", "https://LOGIN.example.com",
        "http://login.example.com", "https://login.example.com.evil.test", "https://evil.login.example.com", "null", "",
        "https://login.example.com\u{301}", "http://localhost", "http://localhost:8080",
    ])
    func otherOriginIsRejected(origin: String) {
        #expect(throws: WebAuthnError.origin) { try register { $0.origin = origin } }
    }

    /// The Kelvin sign equals K for Swift.
    @Test func originIsComparedByBytes() throws {
        let relyingParty = RelyingParty(id: "login.example.com", origins: ["android:apk-key-hash:K"])
        #expect(throws: Never.self) { try register(relyingParty) { $0.origin = "android:apk-key-hash:K" } }
        #expect(throws: WebAuthnError.origin) {
            try register(relyingParty) { $0.origin = "android:apk-key-hash:\u{212a}" }
        }
    }

    private let development = RelyingParty(id: "login.example.com", origins: [], allowsLocalhostOrigins: true)

    @Test(arguments: ["http://localhost", "http://localhost:1", "http://localhost:3000", "http://localhost:65535"])
    func localhostIsAllowedForDevelopment(origin: String) {
        #expect(throws: Never.self) { try register(development) { $0.origin = origin } }
    }

    @Test(arguments: [
        "https://localhost", "http://localhost:", "http://localhost:0", "http://localhost:08", "http://localhost:65536",
        "http://localhost:99999", "http://localhost:100000", "http://localhost:+1", "http://localhost:1a",
        "http://localhost:1/", "http://localhost.", "http://localhosts", "http://localhost@evil.test",
        "HTTP://localhost",
        "http://127.0.0.1", "http://a.localhost", "https://login.example.com", "http://localhost:١",
    ])
    func otherOriginIsRejectedForDevelopment(origin: String) {
        #expect(throws: WebAuthnError.origin) { try register(development) { $0.origin = origin } }
    }

    // MARK: Framing

    private let framed = RelyingParty(
        id: "login.example.com", origins: ["https://login.example.com"],
        framing: .allowed(topOrigins: ["https://shop.example"]))

    /// Security rules WR7 and WR8.
    @Test func framingIsRejectedByDefault() {
        #expect(throws: Never.self) { try register { $0.furtherMembers = ",\"crossOrigin\":false" } }
        #expect(throws: Never.self) { try register { $0.furtherMembers = ",\"crossOrigin\":null,\"topOrigin\":null" } }
        #expect(throws: WebAuthnError.crossOrigin) { try register { $0.furtherMembers = ",\"crossOrigin\":true" } }
        #expect(throws: WebAuthnError.topOrigin) {
            try register { $0.furtherMembers = ",\"topOrigin\":\"https://login.example.com\"" }
        }
    }

    @Test func framingIsAllowedForListedPages() {
        #expect(throws: Never.self) { try register(framed) { _ in } }
        #expect(throws: Never.self) { try register(framed) { $0.furtherMembers = ",\"crossOrigin\":true" } }
        #expect(throws: Never.self) {
            try register(framed) { $0.furtherMembers = ",\"crossOrigin\":true,\"topOrigin\":\"https://shop.example\"" }
        }
        #expect(throws: WebAuthnError.topOrigin) {
            try register(framed) { $0.furtherMembers = ",\"crossOrigin\":true,\"topOrigin\":\"https://evil.test\"" }
        }
    }
}
