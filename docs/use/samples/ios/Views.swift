import LatchkeyAuth
import SwiftUI

/// The client ID of the registered application, for the pages of the server.
private let clientID = "CLIENT_ID"

struct SignInView: View {
    let session: Session
    @State private var email = ""
    @State private var password = ""

    var body: some View {
        Form {
            Section {
                TextField("E-mail address", text: $email)
                    .textContentType(.username)
                SecureField("Password", text: $password)
                    .textContentType(.password)
            }
            Section {
                Button("Sign in") { session.signIn(email: email, password: password) }
                Button("Create an account") { session.createAccount(email: email, password: password) }
                Button("Forgot your password?") { session.resetPassword(email: email) }
            }
            Section {
                Button("Sign in with a passkey") { session.signInWithPasskey() }
                Button("More ways to sign in") { session.signInOnPage(clientID: clientID) }
            }
            if let message = session.message { Text(message) }
        }
        .disabled(session.isBusy)
        .navigationTitle("Shop")
    }
}

struct SecondFactorView: View {
    let session: Session
    let step: SecondFactorStep
    @State private var code = ""

    var body: some View {
        Form {
            Section {
                Text("Enter the code of \(step.name).")
                TextField("Code", text: $code)
                    .textContentType(.oneTimeCode)
            }
            Button("Continue") { session.complete(step, code: code) }
            if let message = session.message { Text(message) }
        }
        .disabled(session.isBusy)
        .navigationTitle("Second step")
    }
}

struct AccountView: View {
    let session: Session
    let user: User

    var body: some View {
        Form {
            Section {
                Text(user.displayName ?? user.email ?? user.uid)
                if !user.isEmailVerified { Text("Your address is not verified.") }
            }
            Section {
                Button("Add a passkey") { session.addPasskey() }
                Button("Sign out") { session.signOut() }
            }
            if let message = session.message { Text(message) }
        }
        .disabled(session.isBusy)
        .navigationTitle("Account")
    }
}
