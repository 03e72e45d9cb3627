package import Bus
import EventLoop
import Glibc
import Settings
import Synchronization
import Vocabulary
package import ZeroMQ

/// The directory of `LATCHKEY_BUS_KEYS`: a file with the secret key of each process of this machine, and the table of all
/// peers.
package final class BusKeyFiles: Sendable {
    package static let tableName = "peers.toml"
    /// Every process that has a key: the services, the operator's command, and the launcher.
    package static let processes = SettingsProcess.allCases.map(\.name) + [BusName.launcher.rawValue]

    package let directory: String
    /// Of this process.
    package let keys: BusKeys
    /// Of the table that was read last, valid or not. Locked while it is read, so that no older one replaces a newer.
    private let fingerprint: Mutex<FileFingerprint?>

    /// Reads the key of a process, and the table. It blocks: call it at start.
    /// - Parameter process: one of `processes`.
    /// - Throws: `BusKeyError`.
    package init(of process: String, in directory: String) throws(BusKeyError) {
        self.directory = directory
        let own = try Self.ownKeys(of: process, in: directory)
        let (table, fingerprint) = try Self.readTable(in: directory)
        guard table.peer(with: own.publicKey) != nil else {
            throw .unlisted(Self.keyPath(of: process, in: directory), own.publicKey)
        }
        keys = BusKeys(own: own, table: table)
        self.fingerprint = Mutex(fingerprint)
    }

    /// Reads `LATCHKEY_BUS_KEYS`. Nil without it, and if its files cannot be used, which the reader records.
    package convenience init?(of process: String, from reader: inout SettingsReader) {
        guard let directory = reader.optionalString(.busKeys) else { return nil }
        do throws(BusKeyError) {
            try self.init(of: process, in: directory)
        } catch {
            reader.addIssue(.busKeys, "cannot be used: \(error.problem)", remedy: error.remedy)
            return nil
        }
    }

    package static func keyPath(of process: String, in directory: String) -> String { "\(directory)/\(process).key" }

    package static func tablePath(in directory: String) -> String { "\(directory)/\(tableName)" }

    /// The name in the table of a process of this machine, for example of its broker.
    package func name(of process: String) throws(BusKeyError) -> BusName {
        let own = try Self.ownKeys(of: process, in: directory)
        guard let peer = keys.table.peer(with: own.publicKey) else {
            throw .unlisted(Self.keyPath(of: process, in: directory), own.publicKey)
        }
        return peer.name
    }

    /// Reads the table again if its file has changed. It blocks for the time of a short file.
    /// - Returns: whether the table is another one.
    /// - Throws: `BusKeyError` once for each version of the file that cannot be used. The old table stays in use.
    package func refresh() throws(BusKeyError) -> Bool {
        try fingerprint.withLock { known throws(BusKeyError) in
            let current = FileFingerprint(Self.tablePath(in: directory))
            guard known != current else { return false }
            known = current
            let revision = keys.revision
            keys.replace(with: try Self.readTable(in: directory).table)
            return keys.revision != revision
        }
    }

    private static func ownKeys(of process: String, in directory: String) throws(BusKeyError) -> CurveKeyPair {
        let path = keyPath(of: process, in: directory)
        let text: String
        do throws(SecretFileError) {
            text = try SecretFile.read(path, setting: Setting.busKeys.name).reveal()
        } catch {
            throw .key(path, reason: error.messages.joined(separator: " "))
        }
        guard let keys = BusKeyFile.keys(in: text) else {
            throw .key(path, reason: "\(path) has no key of the bus in it.")
        }
        return keys
    }

    private static func readTable(
        in directory: String
    ) throws(BusKeyError) -> (table: PeerTable, fingerprint: FileFingerprint) {
        let path = tablePath(in: directory)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .table(path, reason: String(cString: strerror(errno))) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .table(path, reason: "it is not a file")
        }
        // Who can write the table decides who may do what.
        guard status.st_mode & 0o022 == 0 else { throw .table(path, reason: "others can write it") }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= PeerTable.maximumBytes {
            let count = read(file, &buffer, buffer.count)
            guard count >= 0 else { throw .table(path, reason: String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        do throws(PeerTableError) {
            return (try PeerTable(bytes), FileFingerprint(status))
        } catch {
            throw .table(path, reason: "\(error)")
        }
    }
}

/// The content of a file with a secret key.
package enum BusKeyFile {
    /// - Parameter process: for the comment in the file.
    package static func text(_ keys: CurveKeyPair, of process: String) -> String {
        """
        # Secret key of \(process) on the bus of Latchkey. Its public key: \(keys.publicKey.text)
        \(keys.revealSecretKey())

        """
    }

    /// - Returns: nil unless it is comments and one key.
    static func keys(in text: String) -> CurveKeyPair? {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("# ") }
        guard lines.count == 1 else { return nil }
        return CurveKeyPair(secretKey: String(lines[0]))
    }
}

/// Why the keys of the bus cannot be used.
package enum BusKeyError: Error, Equatable {
    case key(String, reason: String)
    case table(String, reason: String)
    /// The table has no peer with the key of this process.
    case unlisted(String, CurvePublicKey)

    package var problem: String {
        switch self {
        case .key(_, let reason): reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        case .table(let path, let reason): "\(path): \(reason)"
        case .unlisted(let path, let key): "peers.toml has no peer with the public key \(key.text), that of \(path)"
        }
    }

    package var remedy: String {
        switch self {
        case .key: "latchkey keys bus create makes the key of a process"
        case .table: "Correct the file; without write permission for others (chmod 644)"
        case .unlisted: "Add the peer that latchkey keys bus create has printed"
        }
    }
}

/// Reads the table of peers again when its file has changed, and at SIGHUP. A mistake in it is logged, and the old table
/// stays in use.
package struct PeerTableWatch: SignaledComponent {
    private let files: BusKeyFiles
    private let log: Log
    package let stop = StopSignal()

    package init(_ files: BusKeyFiles, log: Log) {
        self.files = files
        self.log = log
    }

    package func run() async throws {
        ProcessSignals.onHangup { refresh() }
        await stop.run {
            // The only error of a sleep is its cancellation, which is how this ends.
            while (try? await EventLoop.sleep(forAbout: .seconds(2))) != nil { refresh() }
        }
    }

    private func refresh() {
        do throws(BusKeyError) {
            guard try files.refresh() else { return }
            log.info(.busPeersChanged, ["peers": .public(files.keys.table.count)])
        } catch {
            log.error(.busPeersRefused, ["error": .public(error.problem)])
        }
    }
}
