import Bus
import TestSupport
import Testing

@Suite struct BrokerLinkTests {
    let clock = ManualClock()

    func link() -> BrokerLink {
        BrokerLink(BusSettings.Limits(), at: clock.instant)
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
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendReady])
        link.readySent(accepted: true, at: clock.instant)
        #expect(link.tick(isWaiting: false, at: clock.instant) == [])
        link.messageReceived(at: clock.instant)
        #expect(!link.isConnected)
        link.joined(at: clock.instant)
        #expect(link.isConnected)
    }

    @Test func joinIsRetriedAtEveryWakeUpWithoutConnection() {
        var link = link()
        link.readySent(accepted: false, at: clock.instant)
        #expect(link.awaitsConnection)
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendReady])
        link.readySent(accepted: true, at: clock.instant)
        #expect(!link.awaitsConnection)
    }

    /// With a connection, there is none to wait for: the loop would ask its socket again and again.
    @Test func replyToAnEarlierJoinEndsTheWaitForAConnection() {
        var link = link()
        link.readySent(accepted: true, at: clock.instant)
        clock.advance(by: .seconds(1))
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendReady])
        link.readySent(accepted: false, at: clock.instant)
        link.joined(at: clock.instant)
        #expect(link.isConnected && !link.awaitsConnection)
    }

    @Test func joinIsRetriedAfterOneSecondWithoutReply() {
        var link = link()
        link.readySent(accepted: true, at: clock.instant)
        clock.advance(by: .milliseconds(999))
        #expect(link.tick(isWaiting: false, at: clock.instant) == [])
        clock.advance(by: .milliseconds(1))
        #expect(link.dueAt == clock.instant)
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendReady])
    }

    /// The broker sends heartbeats, and this process only replies.
    @Test func heartbeatIsSentToSilentBrokerOnly() {
        var link = connectedLink()
        for _ in 1...3 {
            clock.advance(by: .milliseconds(2999))
            #expect(link.tick(isWaiting: false, at: clock.instant) == [])
            link.joined(at: clock.instant)
        }
        clock.advance(by: .milliseconds(3000))
        #expect(link.dueAt == clock.instant)
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendHeartbeat])
        #expect(link.tick(isWaiting: false, at: clock.instant) == [])
    }

    @Test func waitingCallsShortenTheInterval() {
        var link = connectedLink()
        clock.advance(by: .milliseconds(1000))
        // The silence is counted from the first call.
        #expect(link.tick(isWaiting: true, at: clock.instant) == [])
        for _ in 1...3 {
            clock.advance(by: .milliseconds(249))
            #expect(link.tick(isWaiting: true, at: clock.instant) == [])
            clock.advance(by: .milliseconds(1))
            #expect(link.dueAt == clock.instant)
            #expect(link.tick(isWaiting: true, at: clock.instant) == [.sendHeartbeat])
        }
        clock.advance(by: .milliseconds(250))
        #expect(link.tick(isWaiting: true, at: clock.instant) == [.disconnected, .sendReady])
    }

    @Test func silentBrokerIsLostOneSecondAfterCall() {
        var link = connectedLink()
        clock.advance(by: .milliseconds(1400))
        #expect(link.tick(isWaiting: true, at: clock.instant) == [])
        clock.advance(by: .milliseconds(250))
        #expect(link.tick(isWaiting: true, at: clock.instant) == [.sendHeartbeat])
        clock.advance(by: .milliseconds(749))
        #expect(!link.tick(isWaiting: true, at: clock.instant).contains(.disconnected))
        clock.advance(by: .milliseconds(1))
        #expect(link.dueAt == clock.instant)
        #expect(link.tick(isWaiting: true, at: clock.instant) == [.disconnected, .sendReady])
        #expect(!link.isConnected)
        #expect(link.failedAt == clock.instant)
        link.readySent(accepted: true, at: clock.instant)
        #expect(link.tick(isWaiting: true, at: clock.instant) == [])
    }

    @Test func idleBrokerWithoutReplyIsLost() {
        var link = connectedLink()
        clock.advance(by: .milliseconds(3000))
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendHeartbeat])
        clock.advance(by: .milliseconds(749))
        #expect(!link.tick(isWaiting: false, at: clock.instant).contains(.disconnected))
        clock.advance(by: .milliseconds(1))
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.disconnected, .sendReady])
    }

    /// After a pause of this process itself, a missing message means nothing.
    @Test func pauseLosesNoBroker() {
        var link = connectedLink()
        clock.advance(by: .seconds(60))
        #expect(link.tick(isWaiting: true, at: clock.instant) == [])
        clock.advance(by: .seconds(60))
        #expect(link.tick(isWaiting: true, at: clock.instant) == [.sendHeartbeat])
        link.messageReceived(at: clock.instant)
        #expect(link.tick(isWaiting: true, at: clock.instant) == [])
        #expect(link.isConnected)
    }

    @Test func anyMessageKeepsBrokerConnected() {
        var link = connectedLink()
        for _ in 1...5 {
            clock.advance(by: .milliseconds(900))
            #expect(link.tick(isWaiting: true, at: clock.instant).contains(.disconnected) == false)
            link.messageReceived(at: clock.instant)
        }
        #expect(link.isConnected)
    }

    /// The process behind a new connection may be another broker.
    @Test func newConnectionIsFollowedByHeartbeatAtOnce() {
        var link = connectedLink()
        for accepts in [true, false, false] {
            let isNew = link.connectionChecked(accepts: accepts, at: clock.instant)
            #expect(!isNew)
        }
        let isNew = link.connectionChecked(accepts: true, at: clock.instant)
        #expect(isNew)
        let isNewTwice = link.connectionChecked(accepts: true, at: clock.instant)
        #expect(!isNewTwice)
        clock.advance(by: .milliseconds(1000))
        #expect(link.dueAt <= clock.instant)
    }

    @Test func disconnectIsFollowedByJoinAtOnce() {
        var link = connectedLink()
        clock.advance(by: .milliseconds(10))
        let wasLive = link.disconnectReceived(at: clock.instant)
        #expect(wasLive)
        #expect(!link.isConnected)
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendReady])
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
        #expect(link.tick(isWaiting: false, at: clock.instant) == [])
        clock.advance(by: .milliseconds(250))
        #expect(link.tick(isWaiting: false, at: clock.instant) == [.sendReady])
        link.readySent(accepted: true, at: clock.instant)
        link.joined(at: clock.instant)
        #expect(link.takesRequests)
    }
}
