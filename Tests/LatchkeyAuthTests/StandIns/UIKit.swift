@_exported import Foundation

@MainActor open class UIResponder: NSObject {
    public override nonisolated init() { super.init() }
}
@MainActor open class UIViewController: UIResponder {}
@MainActor open class UIWindow: UIResponder {}

@MainActor open class UIApplication: UIResponder {
    public static let shared = UIApplication()
    public func open(_ url: URL) {}
}

public enum UIBackgroundFetchResult: Sendable { case newData, noData, failed }
