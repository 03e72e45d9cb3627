public import Foundation

/// Where the link of an e-mail leads after the user has followed it.
public final class ActionCodeSettings: NSObject, Sendable {
    private struct Values {
        var url: URL?
        var handleCodeInApp = false
        var iOSBundleID: String?
        var androidPackageName: String?
        var androidInstallIfNotAvailable = false
        var androidMinimumVersion: String?
        var linkDomain: String?
    }

    private let values = Locked(Values())

    /// The URL of the application to continue with. Its domain is one of the project's authorized domains.
    public var url: URL? {
        get { values.withLock { $0.url } }
        set { values.withLock { $0.url = newValue } }
    }

    /// Whether the application handles the link, instead of a page of the server.
    public var handleCodeInApp: Bool {
        get { values.withLock { $0.handleCodeInApp } }
        set { values.withLock { $0.handleCodeInApp = newValue } }
    }

    /// The bundle ID of the application that opens the link; that of this application, if it has one.
    public var iOSBundleID: String? {
        get { values.withLock { $0.iOSBundleID } }
        set { values.withLock { $0.iOSBundleID = newValue } }
    }

    /// The package of the Android application that opens the link.
    public var androidPackageName: String? {
        get { values.withLock { $0.androidPackageName } }
        set { values.withLock { $0.androidPackageName = newValue } }
    }

    /// Whether a device without that application offers to install it.
    public var androidInstallIfNotAvailable: Bool {
        get { values.withLock { $0.androidInstallIfNotAvailable } }
        set { values.withLock { $0.androidInstallIfNotAvailable = newValue } }
    }

    /// The oldest version of that application which can handle the link.
    public var androidMinimumVersion: String? {
        get { values.withLock { $0.androidMinimumVersion } }
        set { values.withLock { $0.androidMinimumVersion = newValue } }
    }

    /// The domain of the link; nil for that of the project.
    public var linkDomain: String? {
        get { values.withLock { $0.linkDomain } }
        set { values.withLock { $0.linkDomain = newValue } }
    }

    /// Settings without effect, but for the bundle ID.
    public override init() {
        super.init()
        iOSBundleID = Bundle.main.bundleIdentifier
    }

    /// Names the Android application that opens the link.
    public func setAndroidPackageName(_ name: String, installIfNotAvailable: Bool, minimumVersion: String?) {
        values.withLock { values in
            values.androidPackageName = name
            values.androidInstallIfNotAvailable = installIfNotAvailable
            values.androidMinimumVersion = minimumVersion
        }
    }

    /// Names the iOS application that opens the link.
    public func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }
}
