import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// GET and PATCH of the project configuration as requests (REST 5.1).
@Suite struct ConfigurationTests {
    /// Fake identity: one stored document and a number of concurrent writers.
    private final class Stored: Sendable {
        let state = Mutex((configuration: ProjectConfiguration(), revision: Int64(1)))
        let rivals: Mutex<Int>

        init(rivals: Int = 0) { self.rivals = Mutex(rivals) }

        func reply() -> Identity.ReadConfiguration.Reply {
            state.withLock { .init(configuration: $0.configuration, revision: $0.revision, projectNumber: "42") }
        }

        func replace(_ request: Identity.ReplaceConfiguration) throws -> Identity.ReadConfiguration.Reply {
            let isRaced = rivals.withLock { rivals in
                defer { rivals = max(0, rivals - 1) }
                return rivals > 0
            }
            if isRaced {
                state.withLock {
                    $0.configuration.autodeleteAnonymousUsers = true
                    $0.revision += 1
                }
            }
            try state.withLock { state in
                guard state.revision == request.expectedRevision else { throw ServiceError(.configurationConflict) }
                state = (request.configuration, state.revision + 1)
            }
            return reply()
        }
    }

    private func harness(_ stored: Stored) throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadConfiguration.self) { _ in stored.reply() }
        harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { try stored.replace($0) }
        return harness
    }

    @Test(arguments: ["v2", "admin/v2"])
    func bothPathsReadAndChangeConfiguration(version: String) async throws {
        let harness = try harness(Stored())
        let changed = try await harness.admin(
            .patch, "/config", #"{"signIn":{"email":{"enabled":true}},"mfa":{"state":"ENABLED"}}"#, version: version,
            query: "updateMask=signIn.email.enabled")
        let read = try await harness.admin(.get, "/config", version: version)
        #expect(
            read.json
                == (try json(
                    #"{"name":"projects/42/config","subtype":"IDENTITY_PLATFORM","mfa":{"state":"DISABLED"},"signIn":{"email":{"enabled":true}}}"#
                )))
        #expect(changed.json == read.json)
    }

    @Test func maskAcceptsSnakeCaseAndEscapes() async throws {
        let harness = try harness(Stored())
        let response = try await harness.admin(
            .patch, "/config", #"{"sign_in":{"allow_duplicate_emails":true}}"#, version: "v2",
            query: "update_mask=sign_in.allow_duplicate_emails%2Cmfa")
        #expect(response.json["signIn"]?["allowDuplicateEmails"] == .bool(true))
    }

    @Test(arguments: [(1, 200), (4, 200), (5, 409), (50, 409)])
    func conflictingWriteIsRetriedUpToFourTimes(rivals: Int, status: Int) async throws {
        let stored = Stored(rivals: rivals)
        let harness = try harness(stored)
        let response = try await harness.admin(
            .patch, "/config", #"{"signIn":{"allowDuplicateEmails":true}}"#, version: "v2",
            query: "updateMask=signIn.allowDuplicateEmails")
        #expect(response.status == status)
        let configuration = stored.reply().configuration
        // No change is lost.
        #expect(configuration.autodeleteAnonymousUsers == true)
        #expect(configuration.signIn?.allowDuplicateEmails == (status == 200 ? true : nil))
        if status == 409 { #expect(response.error?["status"] == .string("ABORTED")) }
    }

    @Test(arguments: [
        ("mfa.state", #"{"mfa":{"state":"SOMETIMES"}}"#, "Invalid value at 'config.mfa.state' (TYPE_ENUM)"),
        (
            "colour", #"{"colour":"red"}"#,
            #"Invalid JSON payload received. Unknown name "colour" at 'config': Cannot find field."#
        ),
        ("colour", "{}", "Invalid field mask."), ("mfa", "[]", "Invalid value at 'config' (TYPE_MESSAGE)"),
        ("mfa", "{", "Invalid JSON payload received. Unexpected text at byte 1."),
    ])
    func invalidDocumentIsRefused(mask: String, body: String, message: String) async throws {
        let harness = try harness(Stored())
        let response = try await harness.admin(.patch, "/config", body, version: "v2", query: "updateMask=\(mask)")
        #expect((response.status, response.message) == (400, message))
        #expect(response.error?["status"] == .string("INVALID_ARGUMENT"))
        #expect(response.error?["errors"] == nil)
        #expect(harness.mesh.sent(Identity.ReplaceConfiguration.self).isEmpty)
    }

    @Test func refusalByIdentityIsReturned() async throws {
        let harness = try harness(Stored())
        harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { _ in
            throw ServiceError(.invalidAdjacentIntervalRange)
        }
        let response = try await harness.admin(
            .patch, "/config", #"{"mfa":{"providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":11}}]}}"#,
            version: "v2", query: "updateMask=mfa")
        #expect(response.message?.hasPrefix("INVALID_ADJACENT_INTERVAL_RANGE : Allowed number") == true)
    }
}
