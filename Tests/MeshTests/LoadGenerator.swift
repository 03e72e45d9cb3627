import HTTPClient
import Synchronization
import TestSupport

/// Runs the same step repeatedly in several clients while `body` runs.
func withBusyClients(
    _ clients: Int, _ step: @Sendable @escaping () async -> Void, while body: () async throws -> Void
) async throws {
    try await withThrowingTaskGroup { group in
        for _ in 0..<clients {
            group.addTask { while !Task.isCancelled { await step() } }
        }
        defer { group.cancelAll() }
        try await body()
    }
}

/// The responses that clients got during a disturbance of the mesh.
final class Tally<Success: Sendable>: Sendable {
    private let state = Mutex<(successes: [Success], surprises: [String])>(([], []))

    var successes: [Success] { state.withLock(\.successes) }

    /// Responses that no client should get.
    var surprises: [String] { state.withLock(\.surprises) }

    func add(_ success: Success) { state.withLock { $0.successes.append(success) } }

    func surprise(_ what: String) { state.withLock { $0.surprises.append(what) } }

    func surprise(_ response: HTTPClientResponse) {
        surprise(response.summary)
    }

    /// Waits for `count` more successes.
    func untilMore(_ count: Int) async throws {
        let goal = successes.count + count
        try await eventually("\(count) more requests succeeded") { successes.count >= goal }
    }
}

extension HTTPClientResponse {
    /// 503 with `Retry-After`.
    var asksToComeAgain: Bool { status == 503 && header("Retry-After").flatMap { Int($0) } != nil }
}

extension MeshClient {
    /// Signs a user up and looks the account up, as a step of `withBusyClients`. `tally` contains the users with a
    /// success response.
    func signUpAndLookUp(_ tally: Tally<TestUser>) async {
        let person = TestUser()
        // Without a response from a failed process, nothing was acknowledged.
        guard let signUp = try? await signUp(person) else { return }
        guard let tokens = try? Tokens(signUp) else {
            if !signUp.asksToComeAgain { tally.surprise(signUp) }
            return
        }
        tally.add(person)
        if let lookup = try? await lookUp(tokens.idToken), lookup.status != 200, !lookup.asksToComeAgain {
            tally.surprise(lookup)
        }
    }

    /// Signs a user up and looks the account up, as a step of `withBusyClients`. Every response except success is
    /// unexpected.
    func signUpWithoutFail(_ tally: Tally<TestUser>) async {
        let person = TestUser()
        do {
            let signUp = try await signUp(person)
            guard let tokens = try? Tokens(signUp) else { return tally.surprise(signUp) }
            let lookup = try await lookUp(tokens.idToken)
            if lookup.status == 200 { tally.add(person) } else { tally.surprise(lookup) }
        } catch {
            if !Task.isCancelled { tally.surprise("\(error)") }
        }
    }

    /// Looks an account up, as a step of `withBusyClients`. Every response except success is unexpected.
    func lookUp(_ idToken: String, _ tally: Tally<Void>) async {
        do {
            let response = try await lookUp(idToken)
            if response.status == 200 { tally.add(()) } else { tally.surprise(response) }
        } catch {
            if !Task.isCancelled { tally.surprise("\(error)") }
        }
    }

    /// The responses to requests that are sent in parallel.
    func atOnce(
        _ count: Int, _ request: @Sendable @escaping (MeshClient) async throws -> HTTPClientResponse
    ) async throws -> [HTTPClientResponse] {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await request(self) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
