import Blocking
import Foundation
import TestSupport
import Testing
import ZeroMQ

@Suite struct ZeroMQMessageTests {
    @Test func partsAreReadInPlace() {
        let message = ZeroMQMessage([[1, 2, 3], [], [4]])
        #expect((message.count, message.isTruncated) == (3, false))
        #expect(message.withUnsafeBytes(of: 0) { Array($0) } == [1, 2, 3])
        #expect(message.withUnsafeBytes(of: 1) { Array($0) } == [])
    }

    @Test func takenPartIsEmptyAfterwards() {
        // libzmq stores short ones in its header, and shares long ones.
        for count in [0, 1, 33, 34, 100_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            var message = ZeroMQMessage([bytes])
            let frame = message.take(0)
            #expect(frame.count == count)
            #expect(frame.withUnsafeBytes { Array($0) } == bytes)
            #expect(message.withUnsafeBytes(of: 0) { $0.count } == 0)
        }
    }

    @Test func partsAboveTenAreTruncated() {
        let longest = ZeroMQMessage(Array(repeating: [1], count: 10))
        #expect((longest.count, longest.isTruncated) == (10, false))
        let longer = ZeroMQMessage(Array(repeating: [1], count: 11))
        #expect((longer.count, longer.isTruncated) == (10, true))
    }

    @Test func framesCompareByBytes() {
        #expect(ZeroMQFrame([1, 2]) == ZeroMQFrame([1, 2]))
        #expect(ZeroMQFrame([1, 2]) != ZeroMQFrame([1, 3]))
        #expect(ZeroMQFrame([1, 2]) != ZeroMQFrame([1]))
    }

    @Test func builderKeepsPartsInOrder() {
        var draft = ZeroMQMessageBuilder()
        draft.append([1, 2])
        draft.append([])
        draft.appendBody(ZeroMQFrame([3]))
        #expect(draft.parts == [[1, 2], [], [3]])
        draft.removeAll()
        draft.append([4])
        #expect(draft.parts == [[4]])
    }
}

@Suite struct ZeroMQRoutingIDTests {
    @Test func onlySocketAssignedIDsHaveNumber() {
        func number(_ bytes: [UInt8]) -> UInt32? { bytes.withUnsafeBytes { ZeroMQRoutingID.number($0) } }
        #expect(number([0, 0, 0, 0, 1]) == 1)
        #expect(number([0, 0xff, 0xfe, 0xfd, 0xfc]) == 0xfffe_fdfc)
        #expect(number([1, 0, 0, 0, 1]) == nil)
        #expect(number([0, 0, 0, 1]) == nil)
        #expect(number([0, 0, 0, 0, 0, 1]) == nil)
        #expect(number([]) == nil)
    }
}

/// Sockets belong to one thread, so each test runs on its own thread.
@Suite struct ZeroMQSocketTests {
    private func onAThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        let thread = BlockingPool(label: "zeromq test", threads: 1, maximumWaiting: 0)
        try await thread.run(body)
        thread.shutDown()
    }

    @Test func messageGoesToRouterAndBack() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = "ipc://" + directory.appending("socket")
        try await onAThread {
            let pair = try Pair(endpoint)
            var draft = ZeroMQMessageBuilder()
            draft.append([1, 2])
            draft.appendBody(ZeroMQFrame(Array(repeating: 7, count: 1000)))
            try pair.sendToRouter(draft)
            let routingID = try #require(try pair.receiveAtRouter())
            #expect(pair.message.count == 3)
            #expect(pair.message.withUnsafeBytes(of: 2) { $0.count } == 1000)
            // The same builder again, in the other direction: sending does not change it.
            try pair.router.send(draft, to: routingID)
            try pair.receiveAtDealer()
            #expect(pair.message.count == 2)
            #expect(pair.message.withUnsafeBytes(of: 0) { Array($0) } == [1, 2])
        }
    }

    @Test func dealerWithoutConnectionRefusesAtOnce() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = "ipc://" + directory.appending("nobody")
        try await onAThread {
            let socket = try ZeroMQSocket(.dealer, in: ZeroMQContext())
            try socket.connect(to: endpoint)
            var draft = ZeroMQMessageBuilder()
            draft.append([1])
            do throws(ZeroMQError) {
                try socket.send(draft)
                Issue.record("a message to nobody was taken")
            } catch {
                #expect(error == .wouldBlock)
            }
        }
    }

    @Test func routerReportsMissingPeer() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = "ipc://" + directory.appending("socket")
        try await onAThread {
            let pair = try Pair(endpoint)
            var draft = ZeroMQMessageBuilder()
            draft.append([1])
            do throws(ZeroMQError) {
                try pair.router.send(draft, to: 12345)
                Issue.record("a message to nobody was taken")
            } catch {
                #expect(error == .noSuchPeer)
            }
        }
    }

    @Test func endpointInUseIsNamed() async throws {
        try await onAThread {
            let context = try ZeroMQContext()
            let first = try ZeroMQSocket(.router, in: context)
            let endpoint = "inproc://in-use"
            try first.bind(to: endpoint)
            let second = try ZeroMQSocket(.router, in: context)
            do throws(ZeroMQError) {
                try second.bind(to: endpoint)
                Issue.record("two sockets have one address")
            } catch {
                #expect(error == .failed(call: "zmq_bind", on: endpoint, reason: "Address already in use"))
            }
        }
    }

}

/// A connected pair of a ROUTER and a DEALER.
private final class Pair {
    let router: ZeroMQSocket
    private let dealer: ZeroMQSocket
    var message = ZeroMQMessage()

    init(_ endpoint: String) throws {
        let context = try ZeroMQContext()
        let router = try ZeroMQSocket(.router, in: context)
        let dealer = try ZeroMQSocket(.dealer, in: context)
        try router.bind(to: endpoint)
        try dealer.connect(to: endpoint)
        self.router = router
        self.dealer = dealer
    }

    func sendToRouter(_ draft: ZeroMQMessageBuilder) throws {
        while try !isTaken(draft) { try dealer.waitForRoom() }
    }

    private func isTaken(_ draft: ZeroMQMessageBuilder) throws -> Bool {
        do throws(ZeroMQError) {
            try dealer.send(draft)
            return true
        } catch {
            guard error == .wouldBlock else { throw error }
            return false
        }
    }

    func receiveAtRouter() throws -> UInt32? {
        while try !router.receive(into: &message) { try router.waitForMessage() }
        return message.withUnsafeBytes(of: 0) { ZeroMQRoutingID.number($0) }
    }

    func receiveAtDealer() throws {
        while try !dealer.receive(into: &message) { try dealer.waitForMessage() }
    }
}
