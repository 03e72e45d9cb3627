import LatchkeyAuth
import SwiftUI

/// An application whose users sign in with a password, a passkey or on the pages of the server, and with a second factor.
@main
struct ShopApp: App {
    @State private var session: Session

    init() {
        // Reads GoogleService-Info.plist: the output of `latchkey client-config ios com.example.shop`.
        LatchkeyApp.configure()
        _session = State(initialValue: Session(auth: Auth.auth()))
    }

    var body: some Scene {
        WindowGroup {
            ContentView(session: session)
                .task { await session.follow() }
                .onOpenURL { url in _ = Auth.auth().canHandle(url) }
        }
    }
}

/// One page or the other.
struct ContentView: View {
    let session: Session

    var body: some View {
        NavigationStack {
            if let user = session.user {
                AccountView(session: session, user: user)
            } else if let step = session.secondFactor {
                SecondFactorView(session: session, step: step)
            } else {
                SignInView(session: session)
            }
        }
    }
}
