import Foundation
import Testing

@testable import LatchkeyAuth

/// The session between two starts of the application.
struct SessionPersistenceTests {
    let application = TestApplication()

    private func restarted() -> TestApplication { TestApplication(storage: application.storage) }

    @Test func restartRestoresTheUser() async throws {
        application.auth.tenantID = "tenant-1"
        application.server.on("accounts:lookup", .account("ada", more: #","tenantId":"tenant-1","displayName":"Ada""#))
        try await application.signIn()
        let next = restarted()
        let user = try #require(next.auth.currentUser)
        #expect(user.uid == "ada" && user.displayName == "Ada" && next.auth.tenantID == "tenant-1")
        #expect(try await user.getIDToken() == TestToken.id("ada", 1))
        #expect(next.server.calls.isEmpty)
        next.time.advance(by: 4000)
        next.server.on("token", .refreshed("ada", 2))
        #expect(try await user.getIDToken() == TestToken.id("ada", 2))
        #expect(restarted().auth.currentUser?.refreshToken == TestToken.refresh("ada", 2))
    }

    @Test func signOutRemovesTheSessionAndKeepsTheDeviceToken() async throws {
        application.server.on(
            "accounts:lookup", .json(#"{"users":[{"localId":"ada"}]}"#, headers: ["X-Latchkey-Device": "device-1"]))
        try await application.signIn()
        try application.auth.signOut()
        #expect(application.auth.currentUser == nil)
        #expect(application.storage.text == #"{"deviceToken":"device-1"}"#)
        let next = restarted()
        #expect(next.auth.currentUser == nil)
        try await next.signIn()
        #expect(next.server.calls.first?.headers["x-latchkey-device"] == "device-1")
    }

    @Test func nothingStaysStoredWithoutADeviceToken() async throws {
        try await application.signIn()
        try application.auth.signOut()
        #expect(application.storage.data == nil)
    }

    @Test(arguments: ["", "x", "[]", "{}", #"{"session":{}}"#, #"{"session":{"account":{},"tokens":{}}}"#, "\u{0}"])
    func unreadableStateSignsNobodyIn(text: String) async throws {
        application.storage.setData(Data(text.utf8))
        let next = restarted()
        #expect(next.auth.currentUser == nil)
        try await next.signIn()
        #expect(restarted().auth.currentUser?.uid == "ada")
    }

    // MARK: A device that cannot store

    /// Memory and storage stay the same: the former user.
    @Test func signInThatCannotBeStoredDoesNotBegin() async throws {
        let ada = try await application.signIn("ada")
        application.storage.setBroken(true)
        #expect(await code { try await application.signIn("bob") } == .keychainError)
        #expect(application.auth.currentUser === ada)
        #expect(restarted().auth.currentUser?.uid == "ada")
    }

    /// A sign-out takes effect, and can be repeated until nothing is stored.
    @Test func signOutThatCannotBeStoredTakesEffect() async throws {
        try await application.signIn()
        application.storage.setBroken(true)
        #expect(throws: AuthErrorCode(.keychainError)) { try application.auth.signOut() }
        #expect(application.auth.currentUser == nil)
        #expect(restarted().auth.currentUser?.uid == "ada", "the error says so")
        application.storage.setBroken(false)
        try application.auth.signOut()
        #expect(restarted().auth.currentUser == nil)
    }

    @Test func tokensThatCannotBeStoredAreUsable() async throws {
        let user = try await application.signIn()
        application.storage.setBroken(true)
        application.server.on("token", .refreshed("ada", 2))
        #expect(try await user.getIDToken(forcingRefresh: true) == TestToken.id("ada", 2))
        #expect(await code { try await user.reload() } == .keychainError)
        application.storage.setBroken(false)
        try await user.reload()
        #expect(restarted().auth.currentUser?.refreshToken == TestToken.refresh("ada", 2))
    }

    /// The application learns why the session ended, not that it could not be deleted.
    @Test func endOfTheSessionIsReportedFirst() async throws {
        let user = try await application.signIn()
        application.storage.setBroken(true)
        application.server.on("token", .refusal("TOKEN_EXPIRED"))
        #expect(await code { _ = try await user.getIDToken(forcingRefresh: true) } == .userTokenExpired)
        #expect(application.auth.currentUser == nil)
    }

    @Test func changedUserIsStored() async throws {
        let user = try await application.signIn()
        application.server.on("accounts:lookup", .account("ada", more: #","displayName":"Ada L.""#))
        try await user.reload()
        #expect(restarted().auth.currentUser?.displayName == "Ada L.")
    }

    /// An object of a former session is not stored in place of the current one.
    @Test func formerUserIsNotStored() async throws {
        let ada = try await application.signIn("ada")
        try await application.signIn("bob")
        application.server.on("accounts:lookup", .account("ada", more: #","displayName":"Ada L.""#))
        try await ada.reload()
        #expect(ada.displayName == "Ada L.")
        #expect(restarted().auth.currentUser?.uid == "bob")
    }
}

/// The file of a session.
struct SessionStorageFileTests {
    let folder: URL
    let file: URL
    let storage: SessionStorage

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        file = folder.appending(path: "session")
        storage = AuthPersistence.file(file).storage(for: "app")
    }

    private func withFolder(_ test: () throws -> Void) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try test()
    }

    private var mode: Int? {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func fileIsPrivateAndReplaced() throws {
        try withFolder {
            #expect(try storage.load() == nil)
            for text in ["first", "second, which is longer", "3"] {
                try storage.save(Data(text.utf8))
                #expect(try storage.load() == Data(text.utf8))
                #expect(mode == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["session"])
            }
            try storage.save(nil)
            #expect(try storage.load() == nil)
            try storage.save(nil)
        }
    }

    /// A file that others can read is not replaced in place: a process that has it open reads nothing new.
    @Test func newFileReplacesAnOpenOne() throws {
        try withFolder {
            try Data("old".utf8).write(to: file)
            let open = try FileHandle(forReadingFrom: file)
            try storage.save(Data("new".utf8))
            #expect(try open.readToEnd() == Data("old".utf8))
            #expect(mode == 0o600)
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o610])
    func fileOfOthersIsRefused(mode: Int) throws {
        try withFolder {
            try storage.save(Data("session".utf8))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            #expect(throws: CocoaError.self) { try storage.load() }
        }
    }

    @Test func linksAndFoldersAreRefused() throws {
        try withFolder {
            let target = folder.appending(path: "target")
            try SessionStorage.file(target).save(Data("session".utf8))
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
            #expect(throws: CocoaError.self) { try storage.load() }
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(
                at: file, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            #expect(throws: CocoaError.self) { try storage.load() }
        }
    }

    @Test func sizeIsBounded() throws {
        try withFolder {
            try storage.save(Data(count: SessionStorage.maximumBytes))
            #expect(try storage.load()?.count == SessionStorage.maximumBytes)
            try storage.save(Data(count: SessionStorage.maximumBytes + 1))
            #expect(throws: CocoaError.self) { try storage.load() }
        }
    }

    @Test func missingFolderIsAnError() throws {
        try withFolder {
            let lost = SessionStorage.file(folder.appending(path: "none/session"))
            let loaded = try lost.load()
            #expect(loaded == nil)
            #expect(throws: CocoaError.self) { try lost.save(Data()) }
            #expect(throws: AuthErrorCode(.keychainError)) {
                try SessionStore(storage: lost).save(StoredState(session: nil, deviceToken: "device-1"))
            }
        }
    }
}
