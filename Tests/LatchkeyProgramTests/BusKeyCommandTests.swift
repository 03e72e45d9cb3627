import Bus
import CommandLineArguments
import Contracts
import Foundation
import ServiceRuntime
import Settings
import TestSupport
import Testing
import ZeroMQ

@testable import LatchkeyProgram

/// `latchkey keys bus create`, and what `latchkey up` does with keys.
struct BusKeyCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var keys: String { directory.appending("bus") }

    private func command(_ words: String...) throws -> KeysBusCreateCommand {
        try KeysBusCreateCommand(words: words + ["--dir", keys])
    }

    private static func peer(_ process: String, _ listeners: GatewayListeners = .both) throws -> BusPeer {
        let key = try CurveKeyPair.random().publicKey
        let name = try #require(BusName("a.\(process)"))
        let text = KeysBusCreateCommand.stanza(of: process, name, key, serving: listeners).joined(separator: "\n")
        return try #require(try PeerTable(text.utf8).peer(with: key))
    }

    /// What it prints is a line of the table, with the authority of the process and no more.
    @Test(arguments: BusKeyFiles.processes) func printedPeerServesWhatTheProcessIs(process: String) throws {
        let peer = try Self.peer(process)
        #expect(peer.serves.map(\.rawValue) == [process])
        #expect(peer.isBroker == (process == "broker"))
        let calls: Set<BusCaller> =
            switch process {
            case "latchkey": [.operatorCommand]
            case "broker", "latchkey-up": []
            default: [try #require(BusCaller(rawValue: process))]
            }
        #expect(peer.calls == calls)
    }

    @Test(
        arguments: [(.both, .gateway), (.admin, .gateway), (.public, .publicGateway)] as [(GatewayListeners, BusCaller)]
    )
    func gatewayMaySendWhatItsListenersServe(listeners: GatewayListeners, caller: BusCaller) throws {
        #expect(try Self.peer("gateway", listeners).calls == [caller])
    }

    /// Only its user can read it, and it is never overwritten.
    @Test func keyIsWrittenOnce() async throws {
        try await command("identity", "--peer", "identity-b").run()
        let path = BusKeyFiles.keyPath(of: "identity", in: keys)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        await #expect(throws: BusKeyFileError.self) { try await command("identity").run() }
        try await command("identity", "--next").run()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        #expect(FileManager.default.fileExists(atPath: keys + "/identity.next.key"))
    }

    @Test(arguments: [[], ["nobody"], ["identity", "--peer", "a b"], ["gateway", "identity"]])
    func invalidCommandLineIsRefused(words: [String]) {
        #expect(throws: UsageError.self) { try KeysBusCreateCommand(words: words + ["--dir", keys]) }
    }

    // MARK: latchkey up

    /// A key for each of these processes, all in one table.
    private func makeKeys(_ processes: [String] = BusKeyFiles.processes) throws -> [String: String] {
        try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: false)
        var table = ""
        for process in processes {
            let pair = try CurveKeyPair.random()
            let path = BusKeyFiles.keyPath(of: process, in: keys)
            try Data(BusKeyFile.text(pair, of: process).utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let peer = try #require(BusName("a.\(process)"))
            table += KeysBusCreateCommand.stanza(of: process, peer, pair.publicKey).map { $0 + "\n" }.joined()
        }
        let path = BusKeyFiles.tablePath(in: keys)
        try Data(table.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        return ["LATCHKEY_DEV": "1", "LATCHKEY_BUS_KEYS": keys]
    }

    /// With keys a gateway's broker vouches for nobody: another one carries the requests.
    @Test func meshWithKeysHasABrokerProcessThatOthersCallByItsName() throws {
        let environment = Environment(try makeKeys())
        let settings = try UpSettings(environment)
        #expect(settings.processes[.broker] == 1 && settings.ownBrokers == 1)
        let address = "ipc:///data/run/broker.1.sock"
        let named = try LocalBrokers.named([address], by: settings.busKeys)
        #expect(named == ["a.broker@\(address)"])
        let plan = MeshPlan(
            settings, environment, dataDirectory: "/data", masterKeyFile: "/data/master.key", brokers: [address],
            allBrokers: named)
        for process in plan.processes {
            let isBroker = process.service == .broker
            #expect(process.environment["LATCHKEY_BROKERS"] == (isBroker ? nil : named[0]))
            #expect(process.environment["LATCHKEY_BROKER_LISTEN"] == (isBroker ? address : nil))
            #expect(process.environment["LATCHKEY_BUS_KEYS"] == keys)
        }
    }

    @Test func meshWithoutTheKeyOfItsBrokerIsRefused() throws {
        let settings = try UpSettings(Environment(try makeKeys(["identity", "latchkey-up"])))
        #expect(throws: SettingsError.self) { try LocalBrokers.named(["ipc:///b"], by: settings.busKeys) }
    }

    @Test func launcherWithoutAKeyIsRefused() throws {
        let environment = Environment(try makeKeys(["identity", "broker"]))
        let failure = #expect(throws: SettingsError.self) { try UpSettings(environment) }
        #expect(failure?.issues.map(\.setting) == ["LATCHKEY_BUS_KEYS"])
    }
}
