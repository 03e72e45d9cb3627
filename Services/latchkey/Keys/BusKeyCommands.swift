import Bus
import CommandLineArguments
import Contracts
import Glibc
import ServiceRuntime
import Settings
import ZeroMQ

/// `latchkey keys bus create NAME`.
struct KeysBusCreateCommand: Command {
    private static let process = Operand(
        "NAME", completion: .words(BusKeyFiles.processes),
        "the process: a service, latchkey for the commands, or latchkey-up for the launcher")
    private static let directory = CommandOption(
        "dir", value: "DIR", overrides: .busKeys, completion: .directory, "directory of the keys (LATCHKEY_BUS_KEYS)")
    private static let peer = CommandOption(
        "peer", value: "PEER", "name of the process in peers.toml, unique among all machines (default: NAME)")
    private static let next = CommandOption(
        "next", "create the key that is to replace the present one, in NAME.next.key")

    private static let listener = CommandOption(
        "listener", value: "WHICH", overrides: .listener,
        completion: .words(GatewayListeners.allCases.map(\.rawValue)),
        "for the key of a gateway: the listeners that it serves, which say what it may send (default: both)")

    static let declaration = CommandDeclaration(
        "create", "create the key with which a process of this machine joins the bus",
        discussion: """
            The command writes the secret key to NAME.key in the directory, with mode 0600, and prints the lines that \
            belong in peers.toml on every machine. No copy of the secret key exists elsewhere: after a loss, create another \
            one. An existing key is never overwritten.

            The key of a gateway with --listener public may not send administration.
            """, operands: [process], options: [directory, peer, listener, next, .environmentFile])

    private let process: String
    private let peer: BusName
    private let listeners: GatewayListeners
    private let isNext: Bool
    private let directory: String
    private let makeKeys: @Sendable () throws(ZeroMQError) -> CurveKeyPair = CurveKeyPair.random

    /// - Throws: `UsageError`, `SettingsError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        process = arguments[Self.process]
        isNext = arguments.has(Self.next)
        guard let peer = BusName(arguments.value(Self.peer) ?? process) else {
            throw UsageError("--peer is 1 to 64 letters, digits, '.', '-' and '_'")
        }
        self.peer = peer
        var reader = SettingsReader(environment, of: .latchkey)
        directory = reader.string(.busKeys, example: "/etc/latchkey/bus")
        listeners = GatewayListeners(from: &reader)
        try reader.finish()
    }

    func run() async throws {
        let keys = try makeKeys()
        let path = BusKeyFiles.keyPath(of: isNext ? "\(process).next" : process, in: directory)
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw BusKeyFileError(path: directory, reason: Self.lastError())
        }
        try write(BusKeyFile.text(keys, of: process), to: path)
        let lines =
            isNext
            ? Self.nextKey(keys.publicKey, of: peer, path)
            : Self.stanza(of: process, peer, keys.publicKey, serving: listeners)
        for line in lines { print(line) }
    }

    /// The peer as it belongs in `peers.toml`.
    /// - Parameter listeners: what a gateway serves, and so what it sends.
    static func stanza(
        of process: String, _ peer: BusName, _ key: CurvePublicKey, serving listeners: GatewayListeners = .both
    ) -> [String] {
        let calls: Set<BusCaller>
        if let service = ServiceName(rawValue: process) {
            // The authority of one with the admin listener contains that of the other.
            let lesser: BusCaller = listeners == .public ? .gateway : .publicGateway
            calls = BusCaller.all(of: service).subtracting([lesser])
        } else {
            calls = process == BusName.launcher.rawValue ? [] : [.operatorCommand]
        }
        var lines = ["[[peer]]", "name = \"\(peer)\"", "public-key = \"\(key.text)\"", "serves = [\"\(process)\"]"]
        if !calls.isEmpty {
            lines.append("calls = [\(calls.map { "\"\($0.rawValue)\"" }.sorted().joined(separator: ", "))]")
        }
        if process == ServiceName.broker.rawValue { lines.append("brokers = true") }
        return lines
    }

    private static func nextKey(_ key: CurvePublicKey, of peer: BusName, _ path: String) -> [String] {
        [
            "# Add this line to the peer \"\(peer)\" on every machine. Then let \(path) take the place of the present key,",
            "# restart the process, make the new key its public-key, and remove the line.",
            "next-public-key = \"\(key.text)\"",
        ]
    }

    private func write(_ text: String, to path: String) throws(BusKeyFileError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BusKeyFileError(path: path, reason: Self.lastError()) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            let reason = Self.lastError()
            unlink(path)
            throw BusKeyFileError(path: path, reason: reason)
        }
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}

/// A key of the bus could not be written.
struct BusKeyFileError: ExitError, Equatable {
    let path: String
    let reason: String

    var exitCode: Int32 { ExitCode.failure }
    var messages: [String] { ["\(path) cannot be written: \(reason)."] }
}
