package import Bus
import Contracts
package import ServiceRuntime
package import Storage
package import Vocabulary

/// Compares the records of a service with what identity lists, and deletes those that it has not listed for a day.
package struct Reconciliation<Key: ListedKey>: Sendable {
    /// The number of keys that are compared at a time.
    package static var page: Int { Identity.FindAccounts.maximumCriteria }

    private let records: ListedRecords<Key>
    private let event: LogEvent
    private let log: Log
    private let listed: @Sendable ([Key], Realm, CallOptions) async throws -> [Key]

    /// - Parameters:
    ///   - event: of the log, when records were deleted.
    ///   - listed: requests from identity which of these keys of a realm it lists; others are ignored.
    package init(
        _ records: ListedRecords<Key>, event: LogEvent, log: Log,
        listed: @escaping @Sendable ([Key], Realm, CallOptions) async throws -> [Key]
    ) {
        self.records = records
        self.event = event
        self.log = log
        self.listed = listed
    }

    /// Each hour. It may take long.
    package func task(trusting clock: TrustedClock) -> MaintenanceTask {
        MaintenanceTask("reconciliation", every: .seconds(3600), after: .seconds(60), trusting: clock) {
            try await reconcile(at: $0)
        }
    }

    /// Compares all records, a page at a time.
    /// - Returns: the number of deleted records.
    /// - Throws: errors of identity or the store. A missing reply of identity deletes nothing.
    @discardableResult
    package func reconcile(at now: Moment) async throws -> Int {
        var removed = 0
        var last: Key?
        repeat {
            let keys = try await records.keys(after: last, limit: Self.page)
            for (realm, keys) in Dictionary(grouping: keys, by: \.realm) {
                let listed = try await listed(among: keys, in: realm)
                removed += try await records.record(
                    listed: listed, unlisted: Set(keys).subtracting(listed), at: now)
            }
            last = keys.count == Self.page ? keys.last : nil
        } while last != nil
        if removed > 0 { log.info(event, ["count": .public(removed)]) }
        return removed
    }

    private func listed(among keys: [Key], in realm: Realm) async throws -> Set<Key> {
        do {
            let options = CallOptions(trace: .random(), timeout: .seconds(5))
            return Set(keys).intersection(try await listed(keys, realm, options))
        } catch let error as ServiceError where error.code == .tenantNotFound {
            return []  // The tenant is deleted with all that it had.
        } catch let error as ServiceError where error.code == .projectNotFound {
            // Projects are never deleted: an older backup of identity was restored. The records stay.
            return Set(keys)
        }
    }
}
