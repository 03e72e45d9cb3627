import LatchkeyProgram
import Testing

struct SupervisorStateTests {
    private var state = SupervisorState([
        .init("broker.1", stopStage: 2, joinsBus: false), .init("identity.1", stopStage: 1),
        .init("passkey.1", stopStage: 1, isEssential: false),
        .init("gateway.1", stopStage: 0),
    ])
    private var now = ContinuousClock.now

    /// Sends an input at the present time of the test.
    private mutating func receive(_ input: SupervisorState.Input) -> [SupervisorState.Action] {
        state.receive(input, at: now)
    }

    private mutating func start() {
        let actions = receive(.start)
        #expect(
            actions == [.spawn("broker.1"), .spawn("identity.1"), .spawn("passkey.1"), .spawn("gateway.1")])
    }

    /// Every process has joined, and the gateway says that the mesh is ready.
    private mutating func becomeReady() {
        for instance in ["identity.1", "passkey.1", "gateway.1"] {
            let actions = receive(.joined(instance))
            #expect(actions == [])
        }
        let actions = receive(.ready)
        #expect(actions == [.announceReady])
    }

    /// The delay before identity is restarted after an exit at the present time.
    private mutating func backoffAfterExit() -> Duration {
        let actions = receive(.exited("identity.1", .signal(9)))
        guard case .reportExit("identity.1", .signal(9), let pause)? = actions.first else {
            Issue.record("no death reported: \(actions)")
            return .zero
        }
        if pause == .zero {
            #expect(actions.dropFirst() == [.spawn("identity.1")])
        } else {
            #expect(actions.count == 1)
            #expect(state.nextWakeUp == now.advanced(by: pause))
            now = now.advanced(by: pause)
            let spawned = receive(.wake)
            #expect(spawned == [.spawn("identity.1")])
        }
        return pause
    }

    @Test mutating func brokersStartFirst() {
        start()
        #expect(state.nextWakeUp == nil)
    }

    @Test mutating func readinessIsAnnouncedOnceWhenEveryProcessHasJoined() {
        start()
        _ = receive(.joined("gateway.1"))
        _ = receive(.joined("identity.1"))
        let actions = [receive(.ready), receive(.joined("passkey.1")), receive(.joined("passkey.1")), receive(.ready)]
        #expect(actions == [[], [.announceReady], [], []])
    }

    @Test mutating func processThatEndedIsAwaitedAgain() {
        start()
        for instance in ["identity.1", "passkey.1", "gateway.1"] { _ = receive(.joined(instance)) }
        _ = receive(.exited("passkey.1", .signal(9)))
        let actions = [receive(.ready), receive(.joined("passkey.1"))]
        #expect(actions == [[], [.announceReady]])
    }

    /// A service whose database is damaged does not stop the others, and nobody waits for it.
    @Test mutating func unusableProcessIsNotAwaited() {
        start()
        for instance in ["identity.1", "gateway.1"] { _ = receive(.joined(instance)) }
        _ = receive(.ready)
        let actions = receive(.exited("passkey.1", .code(65)))
        #expect(actions == [.reportUnusable("passkey.1", .code(65), restartIn: .seconds(1)), .announceReady])
    }

    @Test mutating func crashingProcessIsNotAwaitedUnlessEssential() {
        start()
        for instance in ["identity.1", "gateway.1"] { _ = receive(.joined(instance)) }
        _ = receive(.ready)
        let (first, second) = (receive(.exited("passkey.1", .signal(9))), receive(.exited("passkey.1", .signal(9))))
        #expect(!first.contains(.announceReady) && second.contains(.announceReady))
    }

    /// A setting that a process refuses ends a mesh that was not announced.
    @Test mutating func refusedSettingPrecedesReadiness() {
        start()
        for instance in ["identity.1", "gateway.1"] { _ = receive(.joined(instance)) }
        _ = receive(.ready)
        let actions = receive(.exited("passkey.1", .code(78)))
        #expect(!actions.contains(.announceReady) && actions.contains(.terminate("gateway.1")))
    }

    /// A process that waits for its next start reads its files then.
    @Test mutating func everyRunningProcessIsAskedToReadFilesAgain() {
        start()
        becomeReady()
        _ = backoffAfterExit()
        _ = receive(.exited("identity.1", .signal(9)))
        let actions = receive(.reload)
        #expect(actions == [.reload("broker.1"), .reload("passkey.1"), .reload("gateway.1")])
    }

    @Test mutating func restartDelayDoublesUpToMaximum() {
        start()
        becomeReady()
        var pauses: [Duration] = []
        for _ in 0..<9 { pauses.append(backoffAfterExit()) }
        #expect(
            pauses == [
                .zero, .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800),
                .milliseconds(1600), .milliseconds(3200), .seconds(5), .seconds(5),
            ])
    }

    @Test mutating func stableRunResetsRestartDelay() {
        start()
        becomeReady()
        _ = backoffAfterExit()
        _ = backoffAfterExit()
        now = now.advanced(by: .seconds(10) - .nanoseconds(1))
        let short = backoffAfterExit()
        #expect(short == .milliseconds(200))
        now = now.advanced(by: .seconds(10))
        let long = backoffAfterExit()
        #expect(long == .zero)
    }

    @Test mutating func processIsNotRestartedBeforeItsDelay() {
        start()
        becomeReady()
        _ = backoffAfterExit()
        _ = receive(.exited("identity.1", .code(1)))
        now = now.advanced(by: .milliseconds(99))
        let early = receive(.wake)
        #expect(early == [])
    }

    @Test mutating func meshStopsFromGatewayToBroker() {
        start()
        let first = receive(.stop)
        #expect(first == [.terminate("gateway.1")])
        let second = receive(.exited("gateway.1", .code(0)))
        #expect(second == [.terminate("identity.1"), .terminate("passkey.1")])
        let waiting = receive(.exited("passkey.1", .code(0)))
        #expect(waiting == [])
        let third = receive(.exited("identity.1", .code(0)))
        #expect(third == [.terminate("broker.1")])
        let last = receive(.exited("broker.1", .code(0)))
        #expect(last == [.finish(.stopped)])
        #expect(state.nextWakeUp == nil)
    }

    /// The services need the broker inside the gateway until they have ended.
    @Test(arguments: [true, false]) func gatewayWithBrokerClosesFirstAndStopsLast(dies: Bool) {
        let gateway = SupervisorState.Member("gateway.1", stopStage: 2, closesFirst: true)
        var state = SupervisorState([.init("identity.1", stopStage: 1), gateway])
        _ = state.receive(.start, at: now)
        #expect(state.receive(.closed("gateway.1"), at: now) == [])  // Nobody asked.
        #expect(state.receive(.stop, at: now) == [.close("gateway.1")])
        let closed = state.receive(dies ? .exited("gateway.1", .signal(9)) : .closed("gateway.1"), at: now)
        #expect(closed == [.terminate("identity.1")])
        #expect(state.receive(.closed("gateway.1"), at: now) == [])
        let stopped = state.receive(.exited("identity.1", .code(0)), at: now)
        #expect(stopped == (dies ? [.finish(.stopped)] : [.terminate("gateway.1")]))
        if !dies { #expect(state.receive(.exited("gateway.1", .code(0)), at: now) == [.finish(.stopped)]) }
    }

    @Test mutating func processThatIgnoresStopIsKilledAfterFiveSeconds() {
        start()
        _ = receive(.stop)
        #expect(state.nextWakeUp == now.advanced(by: .seconds(5)))
        now = now.advanced(by: .seconds(5))
        let killed = receive(.wake)
        #expect(
            killed == [.kill("broker.1"), .kill("identity.1"), .kill("passkey.1"), .kill("gateway.1")])
        #expect(state.nextWakeUp == nil)
        let again = receive(.wake)
        #expect(again == [])
    }

    @Test mutating func stoppingMeshDoesNotRestartProcesses() {
        start()
        becomeReady()
        _ = backoffAfterExit()
        _ = receive(.exited("identity.1", .code(1)))
        _ = receive(.stop)
        _ = receive(.exited("gateway.1", .code(0)))
        let afterServices = receive(.exited("passkey.1", .code(0)))
        #expect(afterServices == [.terminate("broker.1")])
        let last = receive(.exited("broker.1", .code(0)))
        #expect(last == [.finish(.stopped)])
    }

    @Test mutating func repeatedStopChangesNothing() {
        start()
        _ = receive(.stop)
        let again = receive(.stop)
        #expect(again == [])
    }

    @Test mutating func processThatRefusesSettingsStopsMesh() {
        start()
        let first = receive(.exited("identity.1", .code(78)))
        #expect(first == [.terminate("gateway.1")])
        _ = receive(.exited("gateway.1", .code(0)))
        _ = receive(.exited("passkey.1", .code(0)))
        let last = receive(.exited("broker.1", .code(0)))
        #expect(last == [.finish(.refused("identity.1"))])
    }

    @Test mutating func wrongSettingAtFirstStartStopsMesh() {
        start()
        let actions = receive(.exited("passkey.1", .code(78)))
        #expect(actions == [.terminate("gateway.1")])
    }

    @Test mutating func missingDataOfEssentialProcessStopsMesh() {
        start()
        let actions = receive(.exited("identity.1", .code(65)))
        #expect(actions == [.terminate("gateway.1")])
    }

    /// The other processes continue without it. It is restarted with backoff because its database may be repaired
    /// meanwhile.
    @Test(arguments: [("passkey.1", 65 as Int32, false), ("passkey.1", 78, true), ("identity.1", 65, true)])
    mutating func unusableProcessIsRetriedWithoutStoppingOthers(instance: String, code: Int32, isReady: Bool) {
        start()
        if isReady { becomeReady() }
        #expect(state.outages(at: now) == [])
        let began = now
        var pauses: [Duration] = []
        for _ in 0..<9 {
            let actions = receive(.exited(instance, .code(code)))
            guard case .reportUnusable(instance, .code(code), let pause)? = actions.first, actions.count == 1 else {
                Issue.record("\(actions)")
                return
            }
            #expect(state.outages(at: now) == [.init(instance: instance, since: began, end: .code(code))])
            pauses.append(pause)
            now = now.advanced(by: pause)
            let spawned = receive(.wake)
            #expect(spawned == [.spawn(instance)])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        now = now.advanced(by: .seconds(10))
        #expect(state.outages(at: now) == [])
    }

    @Test mutating func repeatedExitsAreReportedAsOutage() {
        start()
        becomeReady()
        _ = backoffAfterExit()
        #expect(state.outages(at: now) == [])
        let began = now
        _ = backoffAfterExit()
        #expect(state.outages(at: now) == [.init(instance: "identity.1", since: began, end: .signal(9))])
    }

    /// Also before the mesh is ready.
    @Test mutating func nonessentialProcessNeverStopsMesh() {
        start()
        for _ in 0..<20 {
            let actions = receive(.exited("passkey.1", .code(1)))
            guard case .reportExit("passkey.1", .code(1), let pause)? = actions.first else {
                Issue.record("\(actions)")
                return
            }
            now = now.advanced(by: pause)
            _ = receive(.wake)
        }
    }

    @Test mutating func meshThatIsNeverReadyStops() {
        start()
        for _ in 0..<5 { _ = backoffAfterExit() }
        let sixth = receive(.exited("identity.1", .code(1)))
        #expect(sixth == [.terminate("gateway.1")])
        _ = receive(.exited("gateway.1", .code(0)))
        _ = receive(.exited("passkey.1", .code(0)))
        let last = receive(.exited("broker.1", .code(0)))
        #expect(last == [.finish(.neverReady("identity.1", .code(1)))])
    }

    @Test mutating func unknownProcessIsIgnored() {
        start()
        let actions = receive(.exited("stranger.1", .code(0)))
        #expect(actions == [])
    }
}
