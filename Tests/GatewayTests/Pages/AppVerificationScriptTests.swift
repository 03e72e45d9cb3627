import Contracts
import Crypto
import Foundation
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The script of the page, run by Node with the browser interfaces that it uses.
@Suite struct AppVerificationScriptTests {
    typealias Harness = AppVerificationHarness

    /// The results of the page's script.
    private struct Outcome: Decodable {
        struct Post: Decodable {
            var url: String
            var method: String
            var headers: [String: String]
            var body: String
        }
        var posts: [Post]
        var location: String?
        var back: String
        var shown: [String]
        var progress: Double
    }

    /// The input of the fake browser.
    private struct Visit: Encodable {
        var script: String
        var dataset: [String: String]
        /// The response of the server; nil if it is unreachable.
        var response: String?
        /// The token that reCAPTCHA returns after the page has loaded.
        var recaptchaToken: String?
    }

    private static let browser = #"""
        const vm = require("vm");
        const visit = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
        const element = (dataset = {}) => ({ dataset, hidden: dataset.state !== "working", href: "", value: 0 });
        const elements = { check: element(visit.dataset), back: element(), progress: element() };
        const states = ["working", "done", "failed"].map((state) => element({ state }));
        const posts = [];
        const outcome = { posts, location: null };
        const window = {};
        vm.runInNewContext(visit.script, {
          window, setTimeout,
          document: { getElementById: (id) => elements[id], querySelectorAll: () => states },
          location: { replace: (url) => { outcome.location = url; } },
          fetch: async (url, { method, headers, body }) => {
            posts.push({ url, method, headers, body });
            if (visit.response === undefined) throw new TypeError("Failed to fetch");
            return { json: async () => JSON.parse(visit.response) };
          },
        });
        if (visit.recaptchaToken) window.appChecked(visit.recaptchaToken);
        process.on("exit", () => {
          outcome.back = elements.back.href;
          outcome.progress = elements.progress.value;
          outcome.shown = states.filter((part) => !part.hidden).map((part) => part.dataset.state);
          console.log(JSON.stringify(outcome));
        });
        """#

    private func run(_ response: TestResponse, replying reply: String?, recaptchaToken: String? = nil) async throws
        -> Outcome
    {
        let page = try #require(ReadPage(response))
        let check = try #require(page.elements.first { $0.attributes["id"] == "check" }).attributes
        try #require(page.all("script").first?["src"] == ScriptFile.appVerification.path)
        let dataset = Dictionary(
            check.compactMap { name, value in name.hasPrefix("data-") ? (String(name.dropFirst(5)), value) : nil },
            uniquingKeysWith: { first, _ in first })
        let folder = try TemporaryDirectory()
        let visit = Visit(
            script: ScriptFile.appVerification.text, dataset: dataset, response: reply, recaptchaToken: recaptchaToken)
        try JSONEncoder().encode(visit).write(to: URL(filePath: folder.appending("visit.json")))
        try Data(Self.browser.utf8).write(to: URL(filePath: folder.appending("browser.js")))
        let node = try RunningProgram(
            "/usr/bin/node", [folder.appending("browser.js"), folder.appending("visit.json")], in: folder)
        let end = try await node.ending()
        try #require(end == .code(0), "\(node.errors)")
        return try JSONDecoder().decode(Outcome.self, from: Data(node.output.utf8))
    }

    /// Covers the complete flow: the page, its script, the request to the server, and the redirect to the application.
    @Test(arguments: 0..<4)
    func scriptSolvesChallengeAndReturnsToApplication(round: Int) async throws {
        let challenge = Base64URL.encode(Random.bytes(30))
        let bits = 10 + round * 2
        let harness = try Harness(challenge: challenge, bits: bits)
        let outcome = try await run(try await harness.open(), replying: #"{"url":"app://back"}"#)
        #expect(outcome.location == "app://back" && outcome.back == "app://back" && outcome.shown == ["done"])
        let post = try #require(outcome.posts.first)
        #expect(outcome.posts.count == 1 && post.url == "/__/auth/challenge" && post.method == "POST")

        var headers = post.headers
        headers["Sec-Fetch-Site"] = "same-origin"
        let response = try await harness.post(post.body, headers: headers)
        #expect(response.status == 200 && response.json["url"] != nil)
        let sent = try #require(harness.harness.mesh.sent(MFASMS.FinishWebChallenge.self).first)
        #expect(sent.challenge == Secret(challenge) && sent.bundleID == "org.example.app")
        let number = try #require(sent.answer)
        let digest = SHA2.sha256(Array("\(challenge):\(number)".utf8))
        let value = digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        #expect(value.leadingZeroBitCount >= bits)
        // The script tries every number from 0: a wrong hash would have missed an earlier solution.
        for earlier in 0..<(try #require(Int(number))) {
            let digest = SHA2.sha256(Array("\(challenge):\(earlier)".utf8))
            #expect(digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.leadingZeroBitCount < bits)
        }
    }

    @Test(arguments: [nil, "{}", "<html>"]) func invalidReplyShowsFailure(reply: String?) async throws {
        let outcome = try await run(try await Harness().open(), replying: reply)
        #expect(outcome.shown == ["failed"] && outcome.location == nil && outcome.posts.count == 1)
    }

    @Test func scriptForwardsRecaptchaToken() async throws {
        let harness = try Harness(["LATCHKEY_RECAPTCHA_SITE_KEY": "6Le-site"])
        let outcome = try await run(
            try await harness.open(), replying: #"{"url":"app://back"}"#, recaptchaToken: "token of reCAPTCHA")
        #expect(outcome.location == "app://back")
        let post = try #require(outcome.posts.first)
        _ = try await harness.post(post.body)
        let sent = try #require(harness.harness.mesh.sent(MFASMS.FinishWebChallenge.self).first)
        #expect(sent.recaptchaToken == Secret("token of reCAPTCHA") && sent.challenge == nil)
    }
}
