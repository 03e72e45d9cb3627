import Foundation
import Testing

/// What applications write for Firebase, and what the documentation shows, compiles with this library.
struct MoveInTests {
    private static let snippets = SwiftCompiler.sources.appending(path: "Snippets")

    @Test(arguments: [5, 6]) func usualSnippetsCompile(languageMode: Int) async throws {
        let files = try SwiftCompiler.swiftFiles(in: Self.snippets)
        #expect(try await SwiftCompiler.shared.value.errors(in: files, languageMode: languageMode) == [])
    }

    @Test func theUsualSnippetsAreThere() throws {
        let texts = try SwiftCompiler.swiftFiles(in: Self.snippets).map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        let names = texts.flatMap { $0.matches(of: /\/\/ Snippet: (.+)/).map { String($0.1) } }
        #expect(names.count >= 60)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: [5, 6], ["ios", "backend"]) func samplesCompile(languageMode: Int, sample: String) async throws {
        let files = try SwiftCompiler.swiftFiles(in: SwiftCompiler.root.appending(path: "docs/use/samples/\(sample)"))
        #expect(!files.isEmpty)
        #expect(try await SwiftCompiler.shared.value.errors(in: files, languageMode: languageMode) == [])
    }

    // MARK: - Refused names

    /// A row of the page: the name, and a name or a sentence that the compiler suggests.
    private static let rows: [(name: String, suggestion: String)] = {
        // `try?`: without the page there are no rows, and the tests fail.
        let page = try? String(contentsOf: SwiftCompiler.root.appending(path: "docs/move-in/ios.md"), encoding: .utf8)
        let section = page?.components(separatedBy: "## Refused names").dropFirst().first?
            .components(separatedBy: "\n## ").first
        return (section ?? "").matches(of: /(?m)^\| `([^`]+)` \| (.+) \|$/).map { (String($0.1), String($0.2)) }
    }()

    /// Uses of the refused names, in the order of the page.
    private static let uses = [
        "FirebaseApp": "FirebaseApp.configure()", "FirebaseOptions": "_ = FirebaseOptions.self",
        "TwitterAuthProvider": "_ = TwitterAuthProvider.id", "TwitterAuthProviderID": "_ = TwitterAuthProviderID",
        "TwitterAuthSignInMethod": "_ = TwitterAuthSignInMethod",
        "dynamicLinkDomain": "ActionCodeSettings().dynamicLinkDomain = nil",
        "invalidDynamicLinkDomain": "_ = AuthErrorCode.invalidDynamicLinkDomain",
        "dynamicLinkNotActivated": "_ = AuthErrorCode.dynamicLinkNotActivated",
        "shareAuthStateAcrossDevices": "Auth.auth().shareAuthStateAcrossDevices = true",
        "initializeRecaptchaConfig()": "try await Auth.auth().initializeRecaptchaConfig()",
        "initializeRecaptchaConfig(completion:)": "Auth.auth().initializeRecaptchaConfig(completion: nil)",
    ]

    @Test func theCompilerSuggestsWhatThePageSays() async throws {
        #expect(!Self.rows.isEmpty)
        let lines = Self.rows.map { Self.uses[$0.name] ?? "_ = \($0.name)" }
        let text = "import LatchkeyAuth\nfunc use() async throws {\n\(lines.joined(separator: "\n"))\n}\n"
        let errors = try await SwiftCompiler.shared.value.errors(in: text, languageMode: 5, warningsAreErrors: false)
        for row in Self.rows {
            let expected =
                row.suggestion.wholeMatch(of: /`([^`]+)`/).map { "'\(row.name)' has been renamed to '\($0.1)'" }
                ?? "'\(row.name)' is unavailable: \(row.suggestion)"
            #expect(errors.contains { $0.hasSuffix(expected) }, "\(expected) in \(errors)")
        }
    }

    @Test func thePageListsEveryRefusedName() throws {
        let folder = SwiftCompiler.root.appending(path: "Shared/LatchkeyAuth")
        let texts = try SwiftCompiler.swiftFiles(in: folder).map { try String(contentsOfFile: $0, encoding: .utf8) }
        let names = texts.flatMap { text in
            text.matches(
                of: /(?m)@available\(\*, unavailable.*\n\s*public (?:static )?(?:typealias|enum|let|var|func) (\w+)/
            ).map { String($0.1) }
        }
        #expect(Set(names) == Set(Self.rows.map { $0.name.prefix { $0 != "(" } }.map(String.init)))
    }

    // MARK: - Documentation

    private static let pages =
        ["passkeys", "app-verification", "email-codes", "providers", "sign-in-pages"].map { "docs/use/\($0).md" }
        + [
            "apple", "facebook", "game-center", "github", "google", "linkedin", "microsoft", "openid",
        ].map { "docs/use/providers-\($0).md" }
        + ["SecondFactors", "SignInPages"].map { "Shared/LatchkeyAuth/LatchkeyAuth.docc/\($0).md" }

    /// The names that the pages leave to the application, for the blocks that do not declare them.
    private static let context = [
        ("email", "String"), ("password", "String"), ("code", "String"), ("token", "String"), ("rawNonce", "String"),
        ("selection", "Int"), ("user", "User"), ("auth", "Auth"), ("assertion", "PasskeyAssertion"),
        ("credential", "PasskeyRegistration"), ("viewController", "UIViewController"),
        ("authorization", "ASAuthorization"), ("appleID", "ASAuthorizationAppleIDCredential"),
        ("show", "@escaping (String) -> Void"),
    ]

    @Test(arguments: pages) func blocksOfThePageCompile(page: String) async throws {
        let text = try String(contentsOf: SwiftCompiler.root.appending(path: page), encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
        #expect(!blocks.isEmpty)
        let functions = blocks.enumerated().map { number, block in
            let body = block.components(separatedBy: "\n").filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            let values = Self.context.filter { !body.contains("let \($0.0) =") }.map { "_ \($0.0): \($0.1)" }
            return "@MainActor func block\(number)(\(values.joined(separator: ", "))) async throws {\n\(body)\n}\n"
        }
        let imports = ["AuthenticationServices", "FBSDKLoginKit", "GameKit", "GoogleSignIn", "LatchkeyAuth"]
            .map { "import \($0)\n" }.joined()
        let compiler = try await SwiftCompiler.shared.value
        let errors = try await compiler.errors(
            in: imports + functions.joined(), languageMode: 6, warningsAreErrors: false)
        #expect(errors == [])
    }
}
