@_exported import UIKit

@MainActor open class GKLocalPlayer: NSObject {
    public static let local = GKLocalPlayer()
    public var authenticateHandler: ((UIViewController?, (any Error)?) -> Void)?
    public var isAuthenticated: Bool { false }
    public var teamPlayerID: String { "" }
    public var gamePlayerID: String { "" }
    public var displayName: String { "" }

    public func fetchItemsForIdentityVerificationSignature() async throws -> (URL, Data, Data, UInt64) {
        throw CancellationError()
    }
}
