import Launcher
import Testing

struct SupervisorStateTests {
    private var state = SupervisorState([
        .init("broker.1", stopStage: 2), .init("identity.1", stopStage: 1),
        .init("passkey.1", stopStage: 1, isEssential: false),
        .init("gateway.1", stopStage: 0),
    ])
    private var now = ContinuousClock.now

    /// Sends an input at the current time of this test.
    private mutating func receive(_ input: SupervisorState.Input) -> [SupervisorState.Action] {
        state.receive(input, at: now)
    }

    private mutating func start() {
        let actions = receive(.start)
        #expect(
            actions == [.spawn("broker.1"), .spawn("identity.1"), .spawn("passkey.1"), .spawn("gateway.1")])
    }

    /// The delay before identity restarts if it exits now.
    private mutating func pauseAfterDeath() -> Duration {
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

    @Test mutating func everythingStartsAtOnceWithTheBrokersFirst() {
        start()
        #expect(state.nextWakeUp == nil)
    }

    @Test mutating func restartsComeAtOnceAndThenAfterPausesThatDouble() {
        start()
        _ = receive(.ready)
        var pauses: [Duration] = []
        for _ in 0..<9 { pauses.append(pauseAfterDeath()) }
        #expect(
            pauses == [
                .zero, .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800),
                .milliseconds(1600), .milliseconds(3200), .seconds(5), .seconds(5),
            ])
    }

    @Test mutating func aHealthyLifeForgivesEarlierDeaths() {
        start()
        _ = receive(.ready)
        _ = pauseAfterDeath()
        _ = pauseAfterDeath()
        now = now.advanced(by: .seconds(10) - .nanoseconds(1))
        let short = pauseAfterDeath()
        #expect(short == .milliseconds(200))
        now = now.advanced(by: .seconds(10))
        let long = pauseAfterDeath()
        #expect(long == .zero)
    }

    @Test mutating func nobodyIsStartedBeforeThePauseIsOver() {
        start()
        _ = receive(.ready)
        _ = pauseAfterDeath()
        _ = receive(.exited("identity.1", .code(1)))
        now = now.advanced(by: .milliseconds(99))
        let early = receive(.wake)
        #expect(early == [])
    }

    @Test mutating func theMeshStopsFromTheGatewayToTheBroker() {
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

    @Test mutating func whoDoesNotStopInFiveSecondsIsKilledOnce() {
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

    @Test mutating func whoWaitsForARestartIsNotStartedAgainOnceTheMeshStops() {
        start()
        _ = receive(.ready)
        _ = pauseAfterDeath()
        _ = receive(.exited("identity.1", .code(1)))
        _ = receive(.stop)
        _ = receive(.exited("gateway.1", .code(0)))
        let afterServices = receive(.exited("passkey.1", .code(0)))
        #expect(afterServices == [.terminate("broker.1")])
        let last = receive(.exited("broker.1", .code(0)))
        #expect(last == [.finish(.stopped)])
    }

    @Test mutating func aSecondRequestToStopChangesNothing() {
        start()
        _ = receive(.stop)
        let again = receive(.stop)
        #expect(again == [])
    }

    @Test mutating func aProcessThatRefusesItsSettingsStopsTheMesh() {
        start()
        let first = receive(.exited("identity.1", .code(78)))
        #expect(first == [.terminate("gateway.1")])
        _ = receive(.exited("gateway.1", .code(0)))
        _ = receive(.exited("passkey.1", .code(0)))
        let last = receive(.exited("broker.1", .code(0)))
        #expect(last == [.finish(.refused("identity.1"))])
    }

    @Test mutating func aSettingThatIsWrongAtTheFirstStartStopsTheMesh() {
        start()
        let actions = receive(.exited("passkey.1", .code(78)))
        #expect(actions == [.terminate("gateway.1")])
    }

    @Test mutating func theMeshDoesNotBeginWithoutTheDataOfAnEssentialProcess() {
        start()
        let actions = receive(.exited("identity.1", .code(65)))
        #expect(actions == [.terminate("gateway.1")])
    }

    /// The others continue without it, and it restarts from time to time, because its database may be corrected
    /// meanwhile.
    @Test(arguments: [("passkey.1", 65 as Int32, false), ("passkey.1", 78, true), ("identity.1", 65, true)])
    mutating func aProcessThatCannotWorkLeavesTheOthersAlone(instance: String, code: Int32, isReady: Bool) {
        start()
        if isReady { _ = receive(.ready) }
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

    @Test mutating func aProcessThatDiesAgainAndAgainIsAnOutage() {
        start()
        _ = receive(.ready)
        _ = pauseAfterDeath()
        #expect(state.outages(at: now) == [])
        let began = now
        _ = pauseAfterDeath()
        #expect(state.outages(at: now) == [.init(instance: "identity.1", since: began, end: .signal(9))])
    }

    /// Also before the mesh is ready.
    @Test mutating func aProcessThatIsNotEssentialMayDieAsOftenAsItLikes() {
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

    @Test mutating func aMeshThatNeverBecomesReadyGivesUp() {
        start()
        for _ in 0..<5 { _ = pauseAfterDeath() }
        let sixth = receive(.exited("identity.1", .code(1)))
        #expect(sixth == [.terminate("gateway.1")])
        _ = receive(.exited("gateway.1", .code(0)))
        _ = receive(.exited("passkey.1", .code(0)))
        let last = receive(.exited("broker.1", .code(0)))
        #expect(last == [.finish(.neverReady("identity.1", .code(1)))])
    }

    @Test mutating func anUnknownProcessIsNobodysConcern() {
        start()
        let actions = receive(.exited("stranger.1", .code(0)))
        #expect(actions == [])
    }
}
