import FoundationEssentials

/// A user's authenticator app, played by oathtool.
package struct AuthenticatorApp: Sendable {
    /// In base32.
    package var secret: String
    private let directory: TemporaryDirectory

    /// - Parameter directory: for the output of oathtool.
    package init(secret: String, directory: TemporaryDirectory) {
        self.secret = secret
        self.directory = directory
    }

    /// The number of the current time step, of 30 seconds.
    package static func step() -> Int { Int(Date().timeIntervalSince1970) / 30 }

    /// The code of the step `offset` steps from now.
    package func code(_ offset: Int) async throws -> String {
        let program = try RunningProgram(
            "/usr/bin/oathtool", ["--totp", "--base32", "--now=@\((Self.step() + offset) * 30)", secret], in: directory)
        guard try await program.ending() == .code(0) else { throw RunningMesh.Failure(program.errors) }
        return program.output.filter(\.isNumber)
    }
}
