import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey keys list-signing`.
struct KeysListSigningCommand: Command {
    static let declaration = CommandDeclaration(
        "list-signing", "print the published signing keys of ID tokens and session cookies",
        options: [.json] + MeshArguments.options)

    private struct Row: Encodable, Sendable {
        var purpose: Identity.ListSigningKeys.Purpose
        var id: SigningKeyID
    }

    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment)
    }

    func run() async throws {
        let rows = try await mesh.withRequests { bus in
            var rows: [Row] = []
            for purpose in Identity.ListSigningKeys.Purpose.allCases {
                let keys = try await bus.send(Identity.ListSigningKeys(purpose: purpose), trace: .random()).keys
                rows += keys.map { Row(purpose: purpose, id: $0.id) }
            }
            return rows
        }
        var list = mesh.output.list(OutputColumn<Row>("KEY", \.id.rawValue), OutputColumn("PURPOSE", \.purpose.words))
        try list.append(rows)
    }
}

/// `latchkey keys revoke KEY`.
struct KeysRevokeCommand: Command {
    private static let key = Operand("KEY", "id of a signing key: the `kid` of its tokens")
    private static let yes = CommandOption("yes", "revoke the key; without it, nothing is changed")

    static let declaration = CommandDeclaration(
        "revoke", "withdraw a signing key at once, in an emergency",
        discussion: """
            Identity signs with another key, publishes this one no longer, refuses the ID tokens that it has signed, and \
            deletes its private half. Users stay signed in: their next ID token has another signature.

            Backends verify tokens with a copy of the published keys, which they may keep for six hours. Until then they \
            accept tokens of the revoked key: restart them. A session cookie of a revoked key is refused as soon as the \
            backend reads the keys again.
            """, operands: [key], options: [yes, .json] + MeshArguments.options)

    private let keyID: SigningKeyID
    private let mesh: MeshArguments

    /// - Throws: `UsageError`, `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        keyID = SigningKeyID(arguments[Self.key])
        guard arguments.has(Self.yes) else {
            throw UsageError(
                "A revoked key cannot be restored, and the tokens that it has signed become invalid. Add --yes.")
        }
        mesh = try MeshArguments(arguments, environment)
    }

    private struct Result: Encodable {
        var revoked: SigningKeyID
        var purpose: Identity.ListSigningKeys.Purpose
        var active: SigningKeyID?
    }

    func run() async throws {
        let reply = try await mesh.withRequests {
            try await $0.send(Identity.RevokeSigningKey(keyID: keyID), trace: .random())
        }
        guard let purpose = reply.purpose else { throw SigningKeyCommandError.noSuchKey(keyID) }
        try mesh.output.show(
            Result(revoked: keyID, purpose: purpose, active: reply.activeKeyID),
            "revoked \(keyID), which signed \(purpose.words)s; \(reply.activeKeyID?.rawValue ?? "no key") signs them now"
        )
        mesh.output.note("Restart the backends that verify tokens: they may keep the revoked key for six hours.")
    }
}

extension Identity.ListSigningKeys.Purpose {
    fileprivate var words: String {
        switch self {
        case .idToken: "ID token"
        case .sessionCookie: "session cookie"
        }
    }
}

/// Why a command about signing keys failed.
enum SigningKeyCommandError: ExitError, Equatable {
    case noSuchKey(SigningKeyID)

    var messages: [String] {
        switch self {
        case .noSuchKey(let id):
            [
                "There is no signing key \(UsageError.quoted(id.rawValue)); it may have been revoked before. `latchkey keys "
                    + "list-signing` prints the published keys."
            ]
        }
    }
}
