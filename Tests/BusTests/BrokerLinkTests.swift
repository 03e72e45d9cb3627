import Bus
import TestSupport
import Testing

@Suite struct BrokerLinkTests {
    let clock = ManualClock()

    func link() -> BrokerLink {
        BrokerLink(heartbeatInterval: .milliseconds(250), heartbeatTimeout: .seconds(1), at: clock.instant)
    }

    /// A link whose broker has replied.
    func connectedLink() -> BrokerLink {
        var link = link()
        link.readySent(accepted: true, at: clock.instant)
        link.joined(at: clock.instant)
        return link
    }

    @Test func linkJoinsFirstAndConnectsWhenBrokerReplies() {
        var link = link()
        #expect(link.tick(at: clock.instant) == [.sendReady])
        link.readySent(accepted: true, at: clock.instant)
        #expect(link.tick(at: clock.instant) == [])
        link.messageReceived(at: clock.instant)
        #expect(!link.isConnected)
        link.joined(at: clock.instant)
        #expect(link.isConnected)
    }

    @Test func joinIsRetriedAtEveryWakeUpWithoutConnection() {
        var link = link()
        link.readySent(accepted: false, at: clock.instant)
        #expect(link.awaitsConnection)
        #expect(link.tick(at: clock.instant) == [.sendReady])
        link.readySent(accepted: true, at: clock.instant)
        #expect(!link.awaitsConnection)
    }

    @Test func joinIsRetriedAfterOneSecondWithoutReply() {
        var link = link()
        link.readySent(accepted: true, at: clock.instant)
        clock.advance(by: .milliseconds(999))
        #expect(link.tick(at: clock.instant) == [])
        clock.advance(by: .milliseconds(1))
        #expect(link.dueAt == clock.instant)
        #expect(link.tick(at: clock.instant) == [.sendReady])
    }

    @Test func heartbeatIsSentAtEachInterval() {
        var link = connectedLink()
        for _ in 1...3 {
            #expect(link.tick(at: clock.instant) == [])
            clock.advance(by: .milliseconds(250))
            #expect(link.dueAt == clock.instant)
            #expect(link.tick(at: clock.instant) == [.sendHeartbeat])
        }
    }

    @Test func oneSecondWithoutMessageDisconnectsBroker() {
        var link = connectedLink()
        clock.advance(by: .milliseconds(999))
        #expect(link.tick(at: clock.instant) == [.sendHeartbeat])
        clock.advance(by: .milliseconds(1))
        #expect(link.tick(at: clock.instant) == [.disconnected, .sendReady])
        #expect(!link.isConnected)
        #expect(link.failedAt == clock.instant)
        link.readySent(accepted: true, at: clock.instant)
        #expect(link.tick(at: clock.instant) == [])
    }

    @Test func anyMessageKeepsBrokerConnected() {
        var link = connectedLink()
        for _ in 1...5 {
            clock.advance(by: .milliseconds(900))
            link.messageReceived(at: clock.instant)
            #expect(link.tick(at: clock.instant) == [.sendHeartbeat])
        }
        #expect(link.isConnected)
    }

    @Test func disconnectIsFollowedByJoinAtOnce() {
        var link = connectedLink()
        clock.advance(by: .milliseconds(10))
        let wasLive = link.disconnectReceived(at: clock.instant)
        #expect(wasLive)
        #expect(!link.isConnected)
        #expect(link.tick(at: clock.instant) == [.sendReady])
        let isLostTwice = link.disconnectReceived(at: clock.instant)
        #expect(!isLostTwice)
    }

    /// A stopping broker accepts no `ready`, and messages that it sent before its `disconnect` can arrive later.
    @Test func stoppingBrokerIsNotJoinedAtOnce() {
        var link = connectedLink()
        link.leaves()
        let wasLive = link.disconnectReceived(at: clock.instant)
        #expect(wasLive)
        link.messageReceived(at: clock.instant)
        link.leaves()
        #expect(!link.isConnected)
        #expect(link.tick(at: clock.instant) == [])
        clock.advance(by: .milliseconds(250))
        #expect(link.tick(at: clock.instant) == [.sendReady])
        link.readySent(accepted: true, at: clock.instant)
        link.joined(at: clock.instant)
        #expect(link.takesRequests)
    }
}
