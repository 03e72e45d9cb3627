import Foundation
import Testing

@testable import LatchkeyAuth

/// The links of e-mails.
struct ActionCodeURLTests {
    private static let link =
        "https://auth.example/action?mode=signIn&oobCode=code-1&apiKey=key-1&lang=de&tenantId=tenant-1"
        + "&continueUrl=https%3A%2F%2Fapp.example%2Fhome%3Fa%3D1"

    private static func nested(_ link: String, in parameter: String) -> String {
        let allowed = CharacterSet.alphanumerics
        return "https://app.page.link/?\(parameter)=\(link.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
    }

    @Test(arguments: [
        link, nested(link, in: "link"), nested(link, in: "deep_link_id"), nested(nested(link, in: "link"), in: "link"),
        nested(nested(link, in: "link"), in: "deep_link_id"),
    ])
    func linkIsRead(link: String) throws {
        let url = try #require(ActionCodeURL(link: link))
        #expect(url.operation == .emailLink && url.code == "code-1" && url.apiKey == "key-1")
        #expect(url.languageCode == "de" && url.tenantID == "tenant-1")
        #expect(url.continueURL?.absoluteString == "https://app.example/home?a=1")
    }

    @Test(arguments: [
        ("resetPassword", ActionCodeOperation.passwordReset), ("verifyEmail", .verifyEmail),
        ("verifyAndChangeEmail", .verifyAndChangeEmail), ("recoverEmail", .recoverEmail),
        ("revertSecondFactorAddition", .revertSecondFactorAddition),
    ])
    func modeIsAnOperation(mode: String, operation: ActionCodeOperation) {
        let link = "https://auth.example/action?mode=\(mode)&oobCode=c"
        #expect(ActionCodeURL(link: link)?.operation == operation)
        #expect(!TestApplication().auth.isSignIn(withEmailLink: link))
    }

    @Test(arguments: [
        "", " ", "x", "https://auth.example", "https://auth.example/action?mode=signIn",
        "https://auth.example/action?mode=signIn&oobCode=", "https://auth.example/action?oobCode=c",
        "https://auth.example/action?mode=SIGNIN&oobCode=c", "https://auth.example/action?mode&oobCode",
        "https://app.page.link/?link=", "https://app.page.link/?link=x&mode=signIn&oobCode=c", "https://[",
        "%", "\u{0}",
        nested(nested(nested(link, in: "link"), in: "link"), in: "link"),
    ])
    func otherTextIsNoLink(link: String) {
        #expect(ActionCodeURL(link: link) == nil)
        #expect(!TestApplication().auth.isSignIn(withEmailLink: link))
    }

    @Test func depthAndLengthAreNoBurden() {
        var link = "x"
        for _ in 0..<8 { link = Self.nested(link, in: "link") }
        #expect(ActionCodeURL(link: link) == nil)
        #expect(ActionCodeURL(link: "https://auth.example/?" + String(repeating: "link=a&", count: 100_000)) == nil)
    }

    @Test func signInSendsTheCodeOfTheLink() async throws {
        let application = TestApplication()
        application.server.on("accounts:signInWithEmailLink", .tokens("ada"))
        try await application.auth.signIn(withEmail: "ada@example.org", link: Self.link)
        let call = try #require(application.server.calls.first)
        #expect(call.text("oobCode") == "code-1" && call.text("tenantId") == "tenant-1")
        #expect(await code { try await application.auth.signIn(withEmail: "a", link: "x") } == .invalidActionCode)
    }
}
