import Foundation
import LatchkeyAuth

/// Signs a user in, with a second factor if the account has one, and keeps the session in a file.
///
///     swift run sign-in-example http://127.0.0.1:9099 ada@example.com 'correct horse' create
///
/// With the client ID of a registered tool, the user signs in on the pages of the server instead:
///
///     swift run sign-in-example http://127.0.0.1:9099 --hosted CLIENT-ID
@main struct SignIn {
    static func main() async {
        do {
            try await run(CommandLine.arguments.dropFirst().map { $0 })
        } catch {
            FileHandle.standardError.write(Data("sign-in-example: \(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 3, let server = URL(string: arguments[0]) else {
            print("Usage: sign-in-example SERVER EMAIL PASSWORD [create]")
            print("       sign-in-example SERVER --hosted CLIENT-ID")
            exit(64)
        }
        // HOME, and not the home of the account: a test or a container sets it.
        let home = ProcessInfo.processInfo.environment["HOME"] ?? FileManager.default.currentDirectoryPath
        let session = URL(filePath: home).appending(path: ".sign-in-example.json")
        LatchkeyApp.configure(LatchkeyOptions(apiKey: "any", serverURL: server), persistence: .file(session))
        let auth = Auth.auth()
        if arguments[1] == "--hosted" {
            try await signIn(auth, clientID: arguments[2])
            print("The sign-in is complete.")
        } else if let user = auth.currentUser, user.email == arguments[1] {
            try await user.reload()
            print("The session in \(session.path) is valid.")
        } else if arguments.last == "create" {
            try await auth.createUser(withEmail: arguments[1], password: arguments[2])
            print("The account was created.")
        } else {
            try await signIn(auth, email: arguments[1], password: arguments[2])
            print("The sign-in is complete.")
        }
        guard let user = auth.currentUser else { return }
        let token = try await user.getIDTokenResult(forcingRefresh: true)
        print("user \(user.uid), \(user.email ?? "no address"), verified: \(user.isEmailVerified)")
        let second = token.signInSecondFactor.isEmpty ? "none" : token.signInSecondFactor
        print("first factor \(token.signInProvider), second factor \(second)")
        print("second factors: \(user.multiFactor.enrolledFactors.map(\.factorID))")
    }

    /// Signs in on the pages of the server, in any browser of this computer.
    private static func signIn(_ auth: Auth, clientID: String) async throws {
        guard let redirectURL = URL(string: "http://127.0.0.1/signed-in") else { return }
        let page = HostedPage(clientID: clientID, redirectURL: redirectURL)
        try await auth.signIn(withHostedPage: page) { address in
            FileHandle.standardOutput.write(Data("Open this address in a browser: \(address)\n".utf8))
        }
    }

    private static func signIn(_ auth: Auth, email: String, password: String) async throws {
        do {
            try await auth.signIn(withEmail: email, password: password)
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
            guard let resolver, let hint = resolver.hints.first else { throw error }
            print("Code of \(hint.displayName ?? hint.factorID): ", terminator: "")
            if let phone = hint as? PhoneMultiFactorInfo {
                let id = try await PhoneAuthProvider.provider().verifyPhoneNumber(
                    with: phone, multiFactorSession: resolver.session)
                let credential = PhoneAuthProvider.provider().credential(
                    withVerificationID: id, verificationCode: readLine() ?? "")
                try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
            } else {
                let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
                    withEnrollmentID: hint.uid, oneTimePassword: readLine() ?? "")
                try await resolver.resolveSignIn(with: assertion)
            }
        }
    }
}
