import Broker
import Foundation
import ServiceRuntime
import TestSupport
import Testing
import ZeroMQ

@testable import Bus

/// Who may enter the directory of the sockets (security rule BU1): with keys the users of a group, without them nobody else.
@Suite struct BrokerDirectoryTests {
    @Test(arguments: [0o700, 0o710, 0o750, 0o720, 0o770, 0o701, 0o704, 0o755], [false, true])
    func directoryIsOpenToGroupWithKeysOnly(mode: Int, hasKeys: Bool) async throws {
        let mesh = try TestMesh()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: mesh.directory.path)
        let pair = try CurveKeyPair.random()
        let broker = try Broker(
            listen: BusEndpoint(mesh.endpoint()),
            keys: hasKeys ? BusKeys(own: pair, table: PeerTable(checked: [])) : nil,
            log: Log(instance: "broker.1", write: { _ in }))
        let running = Task { try await broker.run() }
        if mode & (hasKeys ? 0o027 : 0o077) == 0 {
            try await eventually("the broker listens") { broker.endpoint != nil }
            await broker.beginShutdown()
            try await running.value
        } else {
            let path = mesh.directory.path
            let refusal = BusSettingsError.self
            await #expect(
                throws: BrokerError.settings(
                    hasKeys ? refusal.directoryNotOfGroup(path: path) : refusal.directoryNotPrivate(path: path))
            ) { try await running.value }
        }
    }
}
