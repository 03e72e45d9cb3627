import Foundation
import Synchronization
import Testing

@testable import LatchkeyAuth

/// The listeners of sign-ins, sign-outs and tokens.
struct AuthListenersTests {
    let application = TestApplication()
    private let heard = Record()

    /// What listeners were called with, in order.
    private final class Record: Sendable {
        private let entries = Mutex<[String]>([])
        var all: [String] { entries.withLock { $0 } }
        func add(_ name: String, _ user: User?) { entries.withLock { $0.append("\(name) \(user?.uid ?? "-")") } }
    }

    /// Returns after all calls of listeners that were due.
    private func listenersWereCalled() async {
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    }

    @Test func firstCallHasTheCurrentUser() async throws {
        application.auth.addStateDidChangeListener { [heard] _, user in heard.add("before", user) }
        try await application.signIn()
        application.auth.addStateDidChangeListener { [heard] _, user in heard.add("after", user) }
        application.auth.addIDTokenDidChangeListener { [heard] _, user in heard.add("token", user) }
        await listenersWereCalled()
        #expect(heard.all == ["before -", "before ada", "after ada", "token ada"])
    }

    @Test func listenersAreCalledInTheirOrder() async throws {
        for number in 0..<20 {
            application.auth.addStateDidChangeListener { [heard] _, user in
                if user != nil { heard.add("\(number)", user) }
            }
        }
        try await application.signIn()
        await listenersWereCalled()
        #expect(heard.all == (0..<20).map { "\($0) ada" })
    }

    @Test func stateListenersFollowTheUser() async throws {
        let auth = application.auth
        auth.addStateDidChangeListener { [heard] auth, user in
            #expect(auth === application.auth)
            heard.add("state", user)
        }
        auth.addIDTokenDidChangeListener { [heard] _, user in heard.add("token", user) }
        let ada = try await application.signIn("ada")
        try await application.signIn("ada")
        let bob = try await application.signIn("bob")
        application.server.on("token", .refreshed("bob", 2))
        _ = try await bob.getIDToken(forcingRefresh: true)
        application.server.on("token", .refreshed("ada", 2))
        _ = try await ada.getIDToken(forcingRefresh: true)
        try await bob.reload()
        try auth.signOut()
        try auth.signOut()
        await listenersWereCalled()
        #expect(heard.all.filter { $0.hasPrefix("state") } == ["state -", "state ada", "state bob", "state -"])
        #expect(
            heard.all.filter { $0.hasPrefix("token") }
                == ["token -", "token ada", "token ada", "token bob", "token bob", "token -"])
    }

    @Test func removedListenerIsNotCalled() async throws {
        let state = application.auth.addStateDidChangeListener { [heard] _, user in heard.add("state", user) }
        let token = application.auth.addIDTokenDidChangeListener { [heard] _, user in heard.add("token", user) }
        await listenersWereCalled()
        application.auth.removeStateDidChangeListener(state)
        application.auth.removeIDTokenDidChangeListener(token)
        try await application.signIn()
        await listenersWereCalled()
        #expect(heard.all == ["state -", "token -"])
    }

    /// A listener that removes the next one in the same change.
    @Test func listenerThatWasRemovedByAnotherIsNotCalled() async throws {
        let next = Mutex<AuthStateDidChangeListenerHandle?>(nil)
        let auth = application.auth
        try await application.signIn()
        auth.addStateDidChangeListener { [heard] auth, user in
            heard.add("first", user)
            if user == nil, let handle = next.withLock({ $0 }) { auth.removeStateDidChangeListener(handle) }
        }
        let handle = auth.addStateDidChangeListener { [heard] _, user in heard.add("second", user) }
        next.withLock { $0 = handle }
        await listenersWereCalled()
        try auth.signOut()
        await listenersWereCalled()
        #expect(heard.all == ["first ada", "second ada", "first -"])
    }

    /// The lock of a change is not held during a call.
    @Test func listenerMaySignOut() async throws {
        application.auth.addStateDidChangeListener { [heard] auth, user in
            heard.add("state", user)
            if user != nil { try? auth.signOut() }
        }
        try await application.signIn()
        await listenersWereCalled()
        await listenersWereCalled()
        #expect(heard.all == ["state -", "state ada", "state -"])
        #expect(application.auth.currentUser == nil)
    }

    @Test func endOfTheSessionIsAnnounced() async throws {
        let user = try await application.signIn()
        application.auth.addStateDidChangeListener { [heard] _, user in heard.add("state", user) }
        application.server.on("token", .refusal("TOKEN_EXPIRED"))
        _ = await code { _ = try await user.getIDToken(forcingRefresh: true) }
        await listenersWereCalled()
        #expect(heard.all == ["state ada", "state -"])
    }

    /// Listeners and ``Auth/currentUser`` have the same last user, however many tasks change it.
    @Test func lastCallHasTheLastUser() async throws {
        application.server.on("accounts:signInWithPassword") { call in
            .tokens(call.text("email").map { String($0.prefix(1)) } ?? "")
        }
        application.auth.addStateDidChangeListener { [heard] _, user in heard.add("state", user) }
        try await withThrowingTaskGroup { group in
            for uid in 0..<8 {
                group.addTask {
                    try await application.auth.signIn(withEmail: "\(uid)@example.org", password: "correct horse")
                    if uid.isMultiple(of: 2) { try application.auth.signOut() }
                }
            }
            try await group.waitForAll()
        }
        await listenersWereCalled()
        #expect(heard.all.last == "state \(application.auth.currentUser?.uid ?? "-")")
        let restarted = TestApplication(storage: application.storage)
        #expect(restarted.auth.currentUser?.uid == application.auth.currentUser?.uid)
    }

    @Test func streamHasTheNewestUser() async throws {
        var states = application.auth.authStateChanges.makeAsyncIterator()
        #expect(try await #require(states.next()) == nil)
        try await application.signIn("ada")
        try await application.signIn("bob")
        await listenersWereCalled()
        #expect(await states.next()??.uid == "bob")
        var tokens = application.auth.idTokenChanges.makeAsyncIterator()
        #expect(await tokens.next()??.uid == "bob")
        application.server.on("token", .refreshed("bob", 2))
        _ = try await application.auth.currentUser?.getIDToken(forcingRefresh: true)
        #expect(await tokens.next()??.refreshToken == TestToken.refresh("bob", 2))
    }

    @Test func endedStreamIsNotServed() async throws {
        let auth = application.auth
        let reader = Task { for await _ in auth.authStateChanges {} }
        reader.cancel()
        await reader.value
        try await application.signIn()
        await listenersWereCalled()
    }
}
