import Foundation
import LatchkeyAuth

/// The accounts of a project or tenant, page by page.
public struct UserList: AsyncSequence, Sendable {
    let admin: AdminAuth
    let pageSize: Int

    /// Begins with the first account.
    public func makeAsyncIterator() -> Iterator { Iterator(list: self) }

    /// Reads the accounts in order.
    public struct Iterator: AsyncIteratorProtocol {
        let list: UserList
        private var page: ArraySlice<UserRecord> = []
        private var nextPageToken: String?
        private var isComplete = false

        init(list: UserList) { self.list = list }

        /// The next account; nil after the last one.
        /// - Throws: as every call of ``AdminAuth``.
        public mutating func next() async throws -> UserRecord? {
            while page.isEmpty, !isComplete { try await readPage() }
            return page.popFirst()
        }

        private mutating func readPage() async throws {
            struct Response: Decodable {
                var users: [AdministeredAccount]?
                var nextPageToken: String?
            }
            let response = try await list.admin.server.send(
                .get, "v1", list.admin.realmPath + ["accounts:batchGet"],
                query: [("maxResults", String(list.pageSize)), ("nextPageToken", nextPageToken)], repetition: .always,
                as: Response.self)
            page = (response.users ?? []).map(UserRecord.init)[...]
            // A page without accounts, or the same token again, would never end.
            isComplete =
                response.nextPageToken == nil || response.nextPageToken == nextPageToken || page.isEmpty
            nextPageToken = response.nextPageToken
        }
    }
}
