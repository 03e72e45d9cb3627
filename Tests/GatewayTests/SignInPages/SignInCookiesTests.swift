import HTTPServer
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct SignInCookiesTests {
    private static func signIn(_ number: Int, url: String = "https://app.example.org/") -> StartedSignIn {
        StartedSignIn(
            state: "\(1_000_000 + number)-state-and-more", sessionID: "s", apiKey: "k", language: "en",
            channel: .javaScript(
                authType: .signInViaRedirect, eventID: nil, appName: "a", redirectURL: url))
    }

    private static func headers(_ cookies: [String]) -> HTTPHeaders {
        HTTPHeaders([("Cookie", cookies.joined(separator: "; "))])
    }

    private static func stored(_ fields: [(name: String, value: String)]) -> [String] {
        fields.map { String($0.value.halves(at: ";").before) }
    }

    @Test(arguments: [true, false]) func cookieReturnsItsSignIn(isSecure: Bool) throws {
        let cookies = SignInCookies(isSecure: isSecure)
        let signIn = Self.signIn(1)
        let fields = try #require(cookies.fields(storing: signIn, beside: HTTPHeaders()))
        let headers = Self.headers(["x=y"] + Self.stored(fields))
        #expect(fields.count == 1 && cookies.signIn(ofState: signIn.state, in: headers) == signIn)
        #expect(SignInCookies(isSecure: !isSecure).signIn(ofState: signIn.state, in: headers) == nil)
        // The name contains the beginning of the state only.
        #expect(cookies.signIn(ofState: signIn.state + "x", in: headers) == nil)
    }

    /// Browsers send the oldest first.
    @Test func oldestSignInsGiveWay() throws {
        let cookies = SignInCookies(isSecure: true)
        let url = "https://app.example.org/?" + String(repeating: "x", count: 1500)
        var jar: [String] = []
        for number in 0..<6 {
            let fields = try #require(
                cookies.fields(storing: Self.signIn(number, url: url), beside: Self.headers(jar)))
            let names = Set(fields.map { $0.value.halves(at: "=").before })
            jar = jar.filter { !names.contains($0.halves(at: "=").before) } + Self.stored(Array(fields.prefix(1)))
            #expect(jar.reduce(0) { $0 + $1.utf8.count } <= StartedSignIn.maximumTotalBytes + jar.count)
            #expect(fields.dropFirst().allSatisfy { $0.value.contains("Max-Age=0") })
        }
        #expect(jar.count == 3)
        #expect(cookies.signIn(ofState: Self.signIn(5).state, in: Self.headers(jar)) != nil)
        #expect(cookies.signIn(ofState: Self.signIn(2).state, in: Self.headers(jar)) == nil)
    }

    @Test func signInOfTooManyBytesIsNotStored() {
        let cookies = SignInCookies(isSecure: true)
        let url = "https://app.example.org/?" + String(repeating: "x", count: 3000)
        #expect(cookies.fields(storing: Self.signIn(1, url: url), beside: HTTPHeaders()) == nil)
        var short = Self.signIn(1)
        short.state = "a b"
        #expect(cookies.fields(storing: short, beside: HTTPHeaders()) == nil)
    }
}
